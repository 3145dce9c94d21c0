//! Whatever stands in a message, its frame has one begin and one end, and the words between them
//! are the message's and change nothing around them (FRAME-2, FRAME-5).
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use switchboard_core::{
    Block, Claim, Content, Descriptor, Message, MessageKind, Nonce, Notice, Reply, Request,
    RequestBody, RequestEnd, Shown, render,
};
use switchboard_fuzz::made;

fuzz_target!(|bytes: &[u8]| {
    let _ = framed(&mut Unstructured::new(bytes));
});

fn framed(bytes: &mut Unstructured<'_>) -> Result<()> {
    let (claim, reader) = (made::claim(bytes)?, made::descriptor(bytes)?);
    let (message, delivery) = (made::message(bytes)?, bytes.arbitrary()?);
    let shown = Shown { id: message.id, delivery };
    let text = render(&message, shown, &claim, &reader);
    assert!(text.starts_with('[') && text.ends_with('\n'));
    // The number is drawn after all of this was written.
    if foretold(claim.nonce, &message, &reader) {
        return Ok(());
    }
    if let MessageKind::Request(request) = &message.kind {
        check_request(&text, request, &claim);
    } else {
        check(&text, &message, &claim);
        let bare = render(&with(&message, BARE), shown, &claim, &reader);
        assert_eq!(text, bare.replacen(BARE, &words(&message), 1), "nothing is expanded");
    }
    Ok(())
}

/// Nothing that is made contains it.
const BARE: &str = "\u{f8ff}bare\u{f8ff}";

/// What stands between the two lines; empty for a notice without any.
fn words(message: &Message) -> String {
    match &message.kind {
        MessageKind::Notice(
            Notice::Settled { closing: Some(words), .. }
            | Notice::Acknowledged { note: Some(words), .. },
        ) => words.to_string(),
        MessageKind::Notice(Notice::RequestClosed { end: RequestEnd::Answered(reply), .. }) => {
            reply.words().unwrap_or_default().to_owned()
        }
        MessageKind::Notice(_) | MessageKind::Request(_) => String::new(),
        _ => message.content.plain(),
    }
}

/// The same message, saying something else.
fn with(message: &Message, words: &str) -> Message {
    let mut other = message.clone();
    let blocks = vec![Block::Text(words.to_owned())];
    other.content = Arc::new(Content { blocks, summary: None, ..Content::clone(&message.content) });
    if let MessageKind::Notice(
        Notice::Settled { closing: Some(said), .. } | Notice::Acknowledged { note: Some(said), .. },
    ) = &mut other.kind
    {
        *said = words.into();
    }
    if let MessageKind::Notice(Notice::RequestClosed { end: RequestEnd::Answered(reply), .. }) =
        &mut other.kind
    {
        let (Reply::Shutdown { report: said, .. } | Reply::Plan { feedback: said, .. }) = reply;
        *said = said.take().map(|_| words.to_owned());
    }
    other
}

fn foretold(nonce: Nonce, message: &Message, reader: &Descriptor) -> bool {
    let all = format!("{message:?}{reader:?}{}", words(message));
    all.contains(&nonce.to_string()) || all.contains("bare")
}

/// Each text of a request stands between two lines of its own.
fn check_request(text: &str, request: &Request, claim: &Claim) {
    let texts = match &request.body {
        RequestBody::Shutdown { cleanup, .. } => 1 + usize::from(cleanup.is_some()),
        RequestBody::Plan { alternatives, recommendation, .. } => {
            1 + alternatives.len() + usize::from(recommendation.is_some())
        }
    };
    for boundary in ["begin", "end"] {
        let line = format!("\n--- {boundary} {}\n", claim.nonce);
        assert_eq!(text.matches(&line).count(), texts);
    }
}

fn check(text: &str, message: &Message, claim: &Claim) {
    let (begin, end) =
        (format!("\n--- begin {}\n", claim.nonce), format!("\n--- end {}\n", claim.nonce));
    let bounded = match &message.kind {
        MessageKind::Notice(
            Notice::Settled { closing: said, .. } | Notice::Acknowledged { note: said, .. },
        ) => said.is_some(),
        MessageKind::Notice(Notice::RequestClosed { end: RequestEnd::Answered(reply), .. }) => {
            reply.words().is_some()
        }
        MessageKind::Notice(_) => false,
        _ => true,
    };
    let count = |boundary: &str| text.matches(boundary).count();
    assert_eq!((count(&begin), count(&end)), (usize::from(bounded), usize::from(bounded)));
    let Some((head, rest)) = text.split_once(&begin) else { return };
    let (body, after) = rest.rsplit_once(&end).expect("its end is there");
    assert_eq!(body, words(message));
    assert!(head.lines().next().is_some_and(|header| header.ends_with(']')));
    let tells_how = matches!(message.kind, MessageKind::Prompt);
    assert!(after.is_empty() || tells_how, "only the host's words follow: {after}");
}
