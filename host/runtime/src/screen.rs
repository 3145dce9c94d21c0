//! What SEND-4 refuses is kept from the machine: it would go through all of it, up to many MiB,
//! while everybody waits for it. Whoever hands it in goes through it instead.
//!
//! That something is too large is not what is wrong first: SEND-1 to SEND-3 come before, and only
//! the machine knows those. So it is handed an empty message in the place of the other, which it
//! refuses at the same point, and that refusal is exchanged for the right one.

use switchboard_core::{Content, Limits, Refusal, RequestBody};

/// What the machine would say of the content, if it would refuse it.
#[derive(Debug)]
pub(crate) struct Screen(Option<Exchange>);

#[derive(Debug)]
struct Exchange {
    of_none: Refusal,
    of_this: Refusal,
}

impl Screen {
    /// The content as the machine is handed it.
    pub(crate) fn of(content: Content, limits: &Limits) -> (Content, Self) {
        Self::between(content, Content::default(), |content| content.check(limits))
    }

    /// The same of a request.
    pub(crate) fn of_ask(ask: RequestBody, limits: &Limits) -> (RequestBody, Self) {
        let none = RequestBody::Shutdown { reason: String::new(), cleanup: None, grace: None };
        Self::between(ask, none, |ask| ask.check(limits))
    }

    fn between<T>(this: T, none: T, check: impl Fn(&T) -> Result<(), Refusal>) -> (T, Self) {
        match (check(&this), check(&none)) {
            (Err(of_this), Err(of_none)) => (none, Self(Some(Exchange { of_none, of_this }))),
            _ => (this, Self(None)),
        }
    }

    /// The machine's answer, as it is to what was handed in.
    pub(crate) fn answer<T>(self, answer: Result<T, Refusal>) -> Result<T, Refusal> {
        match (answer, self.0) {
            (Err(refusal), Some(exchange)) if refusal == exchange.of_none => Err(exchange.of_this),
            (answer, _) => answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use switchboard_core::Code;

    use super::*;

    #[test]
    fn send_4_what_is_too_large_is_not_handed_to_the_machine() {
        let limits = Limits::default();
        let large = || Content::text("x".repeat(16 << 20));
        let (handed_on, screen) = Screen::of(large(), &limits);
        assert_eq!(handed_on, Content::default());
        let of_empty = handed_on.check(&limits);
        assert_eq!(screen.answer(of_empty), large().check(&limits));
    }

    #[test]
    fn send_4_what_fits_is_handed_on_and_answered_as_it_is() {
        let limits = Limits::default();
        let (handed_on, screen) = Screen::of(Content::text("x"), &limits);
        assert_eq!(handed_on, Content::text("x"));
        let refused = Content::default().check(&limits);
        assert_eq!(screen.answer(refused.clone()), refused);
    }

    #[test]
    fn send_3_what_is_wrong_before_that_is_said_first() {
        let (_, screen) = Screen::of(Content::text(" ".repeat(1 << 20)), &Limits::default());
        let draining = Refusal::new(Code::Draining, "not now");
        assert_eq!(screen.answer::<()>(Err(draining.clone())), Err(draining));
    }
}
