//! What names something, or stands around the words of a request, is short: the machine, for which
//! everybody waits, does not get to see it otherwise.

use std::sync::Arc;

use switchboard_sandbox::Grants;

use crate::guest::{Guest, SAY_TEXT, send_and};
use crate::host::{run_on, with};
use crate::plane::Plane;

/// What the tool is told of a label that has this many characters, and how often the control plane
/// was asked.
async fn told(guest: &str, grants: &Grants, chars: usize) -> (String, usize) {
    let make = if !grants.delegation.is_empty() { Guest::starting } else { Guest::sending };
    let sandbox = with(make(guest.to_owned()), grants.clone()).await;
    let plane = Arc::<Plane>::default();
    let result = run_on(&sandbox, &"x".repeat(chars), &plane).await;
    (result.text, plane.asked().len())
}

/// The label may be so long and no longer. `fits` is what the tool is told then.
async fn at_most(what: &str, most: usize, guest: &str, grants: Grants, fits: (&str, usize)) {
    let (text, asked) = told(guest, &grants, most).await;
    assert!(text.contains(fits.0) && asked == fits.1, "{what}: {text}, asked {asked} times");
    let over = most + 1;
    let refused = format!("{what} has at most {most} characters, and this has {over}");
    assert_eq!(told(guest, &grants, over).await, (refused, 0));
}

#[tokio::test]
async fn send_5_whom_a_tool_means_is_said_in_256_characters() {
    let content = Grants::content;
    let accepted = ("yes", 1);
    let spoken = "(i32.store (i32.const 2052) (local.get $args))
        (i32.store (i32.const 2056) (local.get $args_len))";
    at_most("an address", 256, &send_and(spoken, SAY_TEXT), content(), accepted).await;
    let child = "(i32.store (i32.const 2048) (i32.const 1))
        (i32.store (i32.const 2052) (i32.const 1))
        (i32.store (i32.const 2056) (i32.const 1))
        (i32.store (i32.const 2060) (local.get $args))
        (i32.store (i32.const 2064) (local.get $args_len))";
    at_most("a name", 256, &send_and(child, SAY_TEXT), content(), accepted).await;
    let agent = format!("(i32.store (i32.const 2048) (i32.const 0)) {spoken}");
    let no_id = ("is not an agent id", 0);
    at_most("an id", 256, &send_and(&agent, SAY_TEXT), content(), no_id).await;
}

/// At 9000, one key of `extra`.
const KEY: &str = "(i32.store (i32.const 9000) (local.get $args))
    (i32.store (i32.const 9004) (local.get $args_len))";

#[tokio::test]
async fn sand_3_a_key_nobody_knows_is_repeated_only_if_it_is_short() {
    let unknown = ("this host does not know `xxx", 0);
    let extra = format!(
        "{KEY} (i32.store (i32.const 2164) (i32.const 9000))
        (i32.store (i32.const 2168) (i32.const 1))"
    );
    at_most("a key", 256, &send_and(&extra, SAY_TEXT), Grants::content(), unknown).await;
    at_most("a key", 256, &start(SHORT, SHORT, 1), Grants::starting(), unknown).await;
}

const SHORT: &str = "(i32.const 64) (i32.const 3)";
const ARGUMENTS: &str = "(local.get $args) (local.get $args_len)";

/// Starts this kind, so described, and says the text of a refusal.
fn start(kind: &str, description: &str, keys: u32) -> String {
    format!(
        "{KEY} (call $start {kind} {description} {SHORT} (i32.const 1)
            (i32.const 9000) (i32.const {keys}) (i32.const 4096)) {SAY_TEXT}"
    )
}

#[tokio::test]
async fn start_2_a_kind_and_a_description_are_short() {
    let (kind, described) = (start(ARGUMENTS, SHORT, 0), start(SHORT, ARGUMENTS, 0));
    let started = ("yes", 1);
    at_most("a kind of agent", 256, &kind, Grants::starting(), started).await;
    at_most("a description", 1_000, &described, Grants::starting(), started).await;
}
