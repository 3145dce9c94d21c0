//! How long a host takes to start that has run before: an engine, and 20 components whose code
//! is in the cache folder.

use std::path::Path;
use std::time::Instant;

use switchboard_sandbox::{Grants, LoadRequest, Sandbox, inspect};

use crate::ours;

const COMPONENTS: usize = 20;
const STARTS: usize = 21;
const AIM: f64 = 100.0;

/// All built-in tools, with what each wants.
const BUILT_IN: [(&[u8], fn(&Path) -> Grants); 4] = [
    (super::COMPONENT, |_| Grants::content()),
    (include_bytes!("../../../plugins/dist/interrupt-agent.wasm"), |_| Grants::interrupt()),
    (include_bytes!("../../../plugins/dist/subagent.wasm"), |_| Grants::starting()),
    (include_bytes!("../../../plugins/dist/workspace-files.wasm"), |dir| Grants::reading(dir)),
];

pub(crate) async fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let requests: Vec<_> = (0..COMPONENTS).map(|number| request(number, folder.path())).collect();
    let first = start(folder.path(), &requests, false).await;
    let mut times = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        times.push(start(folder.path(), &requests, true).await);
    }
    times.sort_by(f64::total_cmp);
    let (median, worst) = (times[STARTS / 2], times[STARTS - 1]);
    println!("{:<44}{:>10}{:>10}", "ours, a start", "p50 ms", "worst");
    let name = format!("engine and {COMPONENTS} cached components");
    println!("{name:<44}{median:>10.1}{worst:>10.1}   aim <= {AIM}");
    println!("{:<44}{first:>10.1}", "the same with nothing cached, once");
}

/// Starts a sandbox and loads everything, one after the other as the command line does.
async fn start(folder: &Path, requests: &[LoadRequest], cached: bool) -> f64 {
    let requests = requests.to_vec();
    let begun = Instant::now();
    let sandbox: Sandbox = ours::cached(folder.join("code"));
    for request in requests {
        assert_eq!(sandbox.load(request).await.unwrap().cached, cached);
    }
    begun.elapsed().as_secs_f64() * 1e3
}

/// A built-in component under a name of its own; what is appended to it makes its code another's.
fn request(number: usize, folder: &Path) -> LoadRequest {
    let (component, grants) = BUILT_IN[number % BUILT_IN.len()];
    let mut bytes = component.to_vec();
    bytes.extend(custom_section(&format!("copy {number:02}")));
    let tools = inspect(&bytes).unwrap().description.tools;
    let names = tools.into_iter().map(|tool| {
        let ours = format!("{}_{number}", tool.name);
        (tool.name, ours)
    });
    let names = names.collect();
    LoadRequest { names, ..LoadRequest::new(ours::bytes(bytes), grants(folder)) }
}

/// A section that says nothing, with this name of less than 128 bytes.
fn custom_section(name: &str) -> Vec<u8> {
    let length = u8::try_from(name.len()).unwrap();
    let mut section = vec![0, length + 1, length];
    section.extend(name.bytes());
    section
}
