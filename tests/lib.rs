//! Nothing: what is here are tests. They begin at `behaviour/main.rs`.
