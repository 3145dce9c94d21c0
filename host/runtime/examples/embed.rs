//! A host program: it registers an agent, gives it a tool, and answers for its model, which asks
//! for the clock and then says what it saw.

use std::{error::Error, sync::Arc};

use switchboard_core::{Content, Descriptor, Mode, StepRecord, ToolUse, TurnEnd};
use switchboard_ledger::Memory;
use switchboard_runtime::*;
use tokio_util::sync::CancellationToken;

struct Host;

impl Driver for Host {
    fn answer(
        &self,
        ask: Ask,
        _: CancellationToken,
    ) -> BoxFuture<'_, Result<Answered, DriverError>> {
        let (text, calls) = match ask.transcript.last() {
            Some(Entry::Returned { text, .. }) => (format!("The clock says {text}."), vec![]),
            _ => (String::new(), vec![ToolUse { tool: "clock".into(), arguments: "{}".into() }]),
        };
        let record = StepRecord { text: text.into(), calls, end: TurnEnd::Completed };
        Box::pin(async { Ok(Answered { record }) })
    }
}

impl ToolHost for Host {
    fn spec(&self, tool: &str) -> Option<ToolSpec> {
        let (name, description) = (tool.to_owned(), "Tells the time.".to_owned());
        let input_schema = serde_json::json!({ "type": "object" });
        let (class, writes, plans, reports) = (ToolClass::ReadOnly, false, false, None);
        let spec = ToolSpec { name, description, input_schema, class, writes, plans, reports };
        (tool == "clock").then_some(spec)
    }

    fn call(&self, _: ToolCall, _: CancellationToken) -> BoxFuture<'_, ToolResult> {
        Box::pin(async { ToolResult::plain(Outcome::Done, "noon") })
    }
}

fn lead() -> Descriptor {
    Descriptor { tools: vec!["clock".into()], ..Descriptor::new("lead", Mode::Root, "any") }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let parts = Parts::new(Arc::new(Host), Arc::new(Host));
    let (board, _) = Switchboard::open(Box::new(Memory::new()), parts)?;
    let lead = board.register("lead", lead()).await?;
    board.instruct(lead, Content::text("What time is it?")).await?;
    board.until_quiet().await?;
    println!("{}", board.closing_text(lead).await?.unwrap_or_default());
    board.drain().await?;
    board.stop().await;
    Ok(())
}
