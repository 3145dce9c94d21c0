//! A host program: it registers an agent, gives it a tool, and answers for its model.

use std::sync::Arc;

use switchboard_core::{Content, Descriptor, Mode, StepRecord, ToolUse, TurnEnd};
use switchboard_ledger::Memory;
use switchboard_runtime::{
    Answered, Ask, BoxFuture, Driver, DriverError, Entry, Outcome, Parts, Switchboard, ToolCall,
    ToolClass, ToolHost, ToolResult, ToolSpec,
};
use tokio_util::sync::CancellationToken;

/// In place of a model: it looks at the clock once, and then says what it saw.
struct Model;

impl Driver for Model {
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

struct Tools;

impl ToolHost for Tools {
    fn spec(&self, tool: &str) -> Option<ToolSpec> {
        (tool == "clock").then(|| ToolSpec {
            name: tool.to_owned(),
            description: "Tells the time.".to_owned(),
            input_schema: serde_json::json!({ "type": "object" }),
            class: ToolClass::ReadOnly,
            reports: None,
        })
    }

    fn call(&self, _: ToolCall, _: CancellationToken) -> BoxFuture<'_, ToolResult> {
        Box::pin(async { ToolResult::plain(Outcome::Done, "noon") })
    }
}

fn descriptor() -> Descriptor {
    let (kind, model, tools) = ("lead".to_owned(), "any".to_owned(), vec!["clock".to_owned()]);
    let (persona, description, starts) = (String::new(), String::new(), vec![]);
    let (mode, images, reports) = (Mode::Root, false, None);
    Descriptor { kind, mode, model, persona, description, tools, starts, images, reports }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let parts = Parts::new(Arc::new(Model), Arc::new(Tools));
    let (board, _) = Switchboard::open(Box::new(Memory::new()), parts)?;
    let lead = board.register("lead", descriptor()).await?;
    board.instruct(lead, Content::text("What time is it?")).await?;
    board.until_quiet().await?;
    println!("{}", board.closing_text(lead).await?.unwrap_or_default());
    board.drain().await?;
    board.stop().await;
    Ok(())
}
