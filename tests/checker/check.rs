//! Walks worlds: the small ones, or `large`, `all`, or those with the given words in their names;
//! `--list` says which there are. Use it in release: the large ones take minutes to hours.

mod checker;

use std::process::ExitCode;

use checker::model::Configuration;
use checker::report::walk;
use checker::worlds::{large, small};

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "small".to_owned());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let small = small().map(|world| ("small", world));
    let all = small.chain(large().map(|world| ("large", world)));
    if wanted == "--list" {
        all.for_each(|(size, world)| println!("{size}: {}", world.name));
        return ExitCode::SUCCESS;
    }
    let chosen = |(size, world): &(&str, &Configuration)| {
        wanted == "all" || wanted == *size || world.name.contains(&wanted)
    };
    let mut walked = 0;
    let mut failed = 0;
    for (_, world) in all.filter(chosen) {
        let report = walk(*world, threads);
        print!("{}", report.text);
        walked += 1;
        failed += usize::from(!report.passed);
    }
    println!("{walked} walked, {failed} failed");
    if walked > 0 && failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
