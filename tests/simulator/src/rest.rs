//! The end of a history: everything comes to rest, also what waits for days.

use std::collections::BTreeMap;
use std::time::Duration;

use switchboard_core::{AgentId, Forest, Whom};
use switchboard_ledger::Ledger;
use switchboard_runtime::{Entry, Switchboard};
use tokio::time::{sleep, timeout};

use crate::life::{drain, stop};
use crate::world::Host;

/// What each agent has read and said.
pub(crate) type Transcripts = BTreeMap<AgentId, Vec<Entry>>;

/// What a history leaves behind.
#[derive(Debug)]
pub(crate) struct Rested {
    pub(crate) transcripts: Transcripts,
}

/// Attempts at letting all go on.
const ATTEMPTS: u64 = 20;
/// Nothing that was begun takes longer than this.
const LONGEST: Duration = Duration::from_secs(3 * 24 * 3_600);
/// After this whatever may expire has expired, and who was parked is put away.
const LATER: Duration = Duration::from_secs(8 * 24 * 3_600);

/// Lets everything come to rest, looks at it, and stops the host. None if it gave up before.
pub(crate) async fn rest(host: &Host, board: &Switchboard) -> Option<Rested> {
    // For a while things go on as wildly as before.
    sleep(host.world.chance.while_at_work()).await;
    host.world.calm_down();
    go_on(host, board).await;
    quiet(host, board).await?;
    sleep(LATER).await;
    quiet(host, board).await?;
    look_at_the_machine(host, board).await?;
    let transcripts = transcripts(host, board).await?;
    drain(host, board).await;
    stop(host, board).await;
    Some(Rested { transcripts })
}

/// Nobody stays paused (PAUSE-1). While the ledger recovers nothing is resumed.
async fn go_on(host: &Host, board: &Switchboard) {
    for _ in 0..ATTEMPTS {
        match host.in_time("letting all go on", board.resume(Whom::All)).await {
            Some(Err(refusal)) => host.world.witness().count_refusal(&refusal),
            Some(Ok(_)) | None => return,
        }
        sleep(Duration::from_secs(1)).await;
    }
}

async fn quiet(host: &Host, board: &Switchboard) -> Option<()> {
    match timeout(LONGEST, board.until_quiet()).await {
        Ok(Ok(())) => Some(()),
        Ok(Err(refusal)) => {
            host.world.witness().count_refusal(&refusal);
            None
        }
        Err(_) => {
            let busy = board.inspect(busy).await.unwrap_or_default();
            host.object(format!("it does not come to rest: {busy}"));
            None
        }
    }
}

/// Who is not at rest.
fn busy(forest: &Forest) -> String {
    let busy = forest.agents().filter(|agent| agent.turn.is_some() || agent.is_live());
    let lines = busy.map(|agent| format!("{} {} {:?}", agent.id, agent.activity(), agent.life));
    lines.collect::<Vec<_>>().join(", ")
}

/// LED-2: the ledger gives the very facts the machine has. Nobody has a turn, and nothing that was
/// claimed hangs in between.
async fn look_at_the_machine(host: &Host, board: &Switchboard) -> Option<()> {
    let (replayed, spoiled) = (replayed(host), host.world.plan.spoils);
    let look = move |forest: &Forest| {
        let mut problems = Vec::new();
        if !forest.same_facts(&replayed) {
            problems.push("LED-2: replay gives other facts than the machine has".to_owned());
        }
        if !forest.is_quiet() {
            problems.push("it was quiet and is not".to_owned());
        }
        // That a turn ended may be what cannot be read any more.
        for agent in forest.agents().filter(|agent| agent.turn.is_some() && !spoiled) {
            problems.push(format!("{} has a turn while all is quiet", agent.id));
        }
        problems
    };
    let problems = host.in_time("a look", board.inspect(look)).await?.ok()?;
    problems.into_iter().for_each(|problem| host.object(problem));
    Some(())
}

fn replayed(host: &Host) -> Forest {
    let world = &host.world;
    let mut forest = Forest::replaying(world.plan.limits.clone(), world.plan.reach);
    let mut unfit = 0;
    let read = world.disk.clone().replay(&mut |stored| {
        unfit += u32::from(forest.apply(&stored.event).is_err());
    });
    if read.is_err() || (unfit > 0 && !world.plan.spoils) {
        host.object(format!("LED-2: the ledger cannot be replayed, {unfit} records do not fit"));
    }
    forest
}

async fn transcripts(host: &Host, board: &Switchboard) -> Option<Transcripts> {
    let agents: Vec<AgentId> = host.world.book().agents.clone();
    let mut transcripts = Transcripts::new();
    for agent in agents {
        let read = host.in_time("a transcript", board.transcript(agent)).await?.ok()?;
        transcripts.insert(agent, read);
    }
    Some(transcripts)
}
