//! Files that are no component, or no longer one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use switchboard_runtime::Outcome;
use switchboard_sandbox::{Grants, LoadRequest, Source};
use tokio_util::sync::CancellationToken;

use super::caching::kept;
use crate::attempt::{Attempt, component, scene, short};
use crate::binary::good;
use crate::case::{Case, End, Fault, Seen, leak};
use crate::ground::{Ground, source};
use crate::guest::{ECHO, Guest, send};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        at("nothing", Vec::new).refused(Fault::Malformed, "not a WebAssembly component"),
        at("text", || b"#!/bin/sh\nrm -rf /\n".to_vec()).refused(Fault::Malformed, ""),
        at("a program of this computer", this_program).refused(Fault::Malformed, ""),
        scene("loading", "code compiled for this engine", MALFORMED, "", |ground| async move {
            // It would run unchecked.
            let code = kept(good()).await;
            let request = LoadRequest::new(source(code[32..].to_vec()), Grants::default());
            ground.load("tool", request).await.unwrap_err()
        }),
        at("a core module", || Guest::new(ECHO).module()).refused(Fault::Module, "core"),
        at("zeroes", || vec![0; 1 << 20]).refused(Fault::Malformed, ""),
        at("a header and nothing else", || good()[..8].to_vec()).refused(Fault::NoTool, ""),
        at("sixteen megabytes and a byte", || vec![0; (16 << 20) + 1])
            .refused(Fault::TooLarge, "16777217 bytes"),
        at("sixteen megabytes behind it", || padded(good())).refused(Fault::TooLarge, ""),
        at("a section of four gigabytes", || [good(), SECTION.to_vec()].concat())
            .refused(Fault::Malformed, ""),
        file("a file that is not there", Fault::Unreadable, |_| ()),
        file("a folder", Fault::Unreadable, |path| fs::create_dir(path).unwrap()),
        file("a pipe", Fault::Unreadable, |path| {
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        }),
        file("a link to a device without end", Fault::Unreadable, |path| {
            std::os::unix::fs::symlink("/dev/zero", path).unwrap();
        }),
        file("ten gigabytes of nothing", Fault::TooLarge, |path| {
            File::create(path).unwrap().set_len(10 << 30).unwrap();
        }),
        scene("loading", "cut at each tenth byte", End::EachInItsWay, "", |ground| async move {
            let whole = Guest::sending(send("")).build();
            for len in (0..whole.len()).step_by(10) {
                let refused = harmless(&ground, whole[..len].to_vec()).await;
                assert!(refused.is_none(), "cut at {len} it is a tool: {refused:?}");
            }
            Seen::of_each("")
        }),
        spoiled("one bit turned, 300 times", 300, |bytes, random| {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }),
        spoiled("64 bytes of chance, 100 times", 100, |bytes, random| {
            let at = random.below(bytes.len() - 64);
            bytes[at..at + 64].fill_with(|| random.below(256) as u8);
        }),
    ]
}

const MALFORMED: End = End::Refused(Fault::Malformed);

fn at(name: &'static str, hostile: impl FnOnce() -> Vec<u8> + Send + 'static) -> Attempt {
    component("loading", name, hostile)
}

/// What lies where a component should.
fn file(name: &'static str, fault: Fault, lay: fn(&Path)) -> Case {
    scene("loading", name, End::Refused(fault), "", move |ground| async move {
        let folder = tempfile::tempdir().unwrap();
        let path: PathBuf = folder.path().join("tool.wasm");
        lay(&path);
        let request = LoadRequest::new(Source::Path(path), Grants::default());
        ground.load("tool", request).await.unwrap_err()
    })
}

/// A good component is spoiled by chance, again and again.
fn spoiled(name: &'static str, times: usize, spoil: fn(&mut Vec<u8>, &mut Random)) -> Case {
    scene("loading", name, End::EachInItsWay, "", move |ground| async move {
        let whole = Guest::sending(send("")).build();
        let mut random = Random(7);
        for _ in 0..times {
            let mut bytes = whole.clone();
            spoil(&mut bytes, &mut random);
            harmless(&ground, bytes).await;
        }
        Seen::of_each("")
    })
}

/// Loads it and, if it can be loaded, calls it; whatever comes of that, it is no fault of the
/// host. The outcome of the call is the answer.
async fn harmless(ground: &Arc<Ground>, component: Vec<u8>) -> Option<Outcome> {
    let request = LoadRequest::new(source(component), Grants::content());
    let tool = match ground.load("tool", LoadRequest { limits: short(), ..request }).await {
        Ok(tool) => tool,
        Err(refused) => {
            assert_ne!(refused.end, End::Refused(Fault::Internal), "{}", refused.words);
            return None;
        }
    };
    let result = ground.call(&tool, "hello", &Arc::default(), CancellationToken::new()).await;
    assert_ne!(result.outcome, Outcome::Internal, "{}", result.text);
    assert_eq!(leak(&result.text), None);
    Some(result.outcome)
}

/// The head of a section that has more bytes than there are.
const SECTION: [u8; 6] = [0, 0xff, 0xff, 0xff, 0xff, 0x0f];

fn this_program() -> Vec<u8> {
    let mut bytes = fs::read(std::env::current_exe().unwrap()).unwrap();
    bytes.truncate(1 << 20);
    bytes
}

fn padded(mut component: Vec<u8>) -> Vec<u8> {
    component.resize((16 << 20) + 1, 0);
    component
}

/// Numbers that are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % most
    }
}
