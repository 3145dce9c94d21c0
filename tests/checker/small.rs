//! The small worlds, walked with all other tests. With `--nocapture` each says what it explored.

mod checker;
