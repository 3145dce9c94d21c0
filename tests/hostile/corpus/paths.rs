//! Paths and folders that lead elsewhere, or nowhere. What a guest may read is one folder; `secret`
//! lies beside it.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use switchboard_runtime::Outcome::{Done, Failed, TimedOut};
use switchboard_sandbox::ToolLimits;

use super::racing;
use crate::attempt::{Attempt, guest, short};
use crate::case::Case;
use crate::guest::Guest;

pub(crate) fn cases() -> Vec<Case> {
    let (deep, long) = ("a/".repeat(2_000), "a".repeat(300));
    let mut cases = vec![
        read("a path of two thousand folders", &deep).ends(Failed, "yes: not-found"),
        read("a path of five thousand letters", &"a/".repeat(2_500))
            .ends(Failed, "yes: invalid-argument"),
        read("a name of three hundred letters", &long).ends(Failed, "yes: invalid-argument"),
        read("a path that ends in slashes", "sub///./file//").ends(Done, "fine"),
        guest("paths", "a list of all there is", listing()).reading(prepared).ends(Done, "yes"),
        guest("paths", "a list of folders ninety deep", listing())
            .reading(|inside| deep_folders(inside, 90))
            .ends(Done, "yes"),
        guest("paths", "rules for git, a quarter of a megabyte", listing())
            .reading(many_rules)
            .ends(Done, "yes"),
        guest("paths", "the same in each of eight folders", reading())
            .reading(rules_all_the_way)
            .told("d/".repeat(7) + "file")
            .ends(Failed, "yes: not-found"),
        guest("paths", "a pattern that takes long at a line without end", searching())
            .reading(long_line)
            .told("(x{0,40}){0,5}[^x]")
            .ends(Done, "yes"),
        guest("paths", "a pattern that may mean anything at each letter", searching())
            .reading(many_lines)
            .told("(x{0,100}){0,9}[^x]")
            .within(ToolLimits { wall: Duration::from_millis(100), ..short() })
            .ends(TimedOut, "it took longer than 100ms"),
        guest("paths", "a pattern of fifteen megabytes", searching_itself())
            .reading(long_line)
            .ends(Failed, "yes: invalid-argument"),
        guest("paths", "a pattern that is huge", searching())
            .reading(long_line)
            .told("((x{100}){100}){100}")
            .ends(Failed, "yes: invalid-argument"),
        racing::case(),
    ];
    cases.extend(READS.map(|(name, path, code)| read(name, path).ends(Failed, code)));
    cases
}

/// What a guest gets that reads this.
const READS: [(&str, &str, &str); 24] = [
    ("up", "../secret", "yes: outside"),
    ("down and up", "sub/../../secret", "yes: outside"),
    ("up and down again", "../inside/file", "yes: outside"),
    ("up in disguise", "%2e%2e/secret", "yes: not-found"),
    ("up with backslashes", "..\\secret", "yes: not-found"),
    ("up with wide dots", "\u{ff0e}\u{ff0e}/secret", "yes: not-found"),
    ("from the root", "/etc/passwd", "yes: outside"),
    ("from the root, twice", "//etc/passwd", "yes: outside"),
    ("a link out", "out", "yes: outside"),
    ("a link out from the root", "from-root", "yes: outside"),
    ("a link to what is above", "above/secret", "yes: outside"),
    ("a link through a link", "through", "yes: outside"),
    ("a link to itself", "itself", "yes: not-readable"),
    ("a link to this process", "process/environ", "yes: outside"),
    ("a link to a device", "device", "yes: outside"),
    ("a pipe", "pipe", "yes: not-a-file"),
    ("a socket", "socket", "yes: not-a-file"),
    ("a folder", "sub", "yes: not-a-file"),
    ("a file as a folder", "file/more", "yes: not-found"),
    ("ten gigabytes of nothing", "sparse", "yes: too-large"),
    ("bytes that are no text", "bytes", "yes: not-text"),
    ("a NUL in a name", "fi\0le", "yes: invalid-argument"),
    ("what belongs to git", "sub/.GIT/config", "yes: not-found"),
    ("what git ignores", "ignored", "yes: not-found"),
];

fn prepared(inside: &Path) {
    let secret = inside.with_file_name("secret");
    fs::write(&secret, "Secret").unwrap();
    fs::create_dir_all(inside.join("sub/.GIT")).unwrap();
    let files = [("file", "fine"), ("sub/file", "fine"), ("sub/.GIT/config", ""), ("ignored", "")];
    for (name, text) in files {
        fs::write(inside.join(name), text).unwrap();
    }
    fs::write(inside.join(".gitignore"), "ignored\n").unwrap();
    fs::write(inside.join("bytes"), [b'a', 0xff]).unwrap();
    fs::write(inside.join("two\nlines"), "").unwrap();
    File::create(inside.join("sparse")).unwrap().set_len(10 << 30).unwrap();
    assert!(Command::new("mkfifo").arg(inside.join("pipe")).status().unwrap().success());
    drop(UnixListener::bind(inside.join("socket")).unwrap());
    let links = [
        ("../secret", "out"),
        (secret.to_str().unwrap(), "from-root"),
        ("..", "above"),
        ("out", "through"),
        ("itself", "itself"),
        ("/proc/self", "process"),
        ("/dev/zero", "device"),
    ];
    for (to, name) in links {
        symlink(to, inside.join(name)).unwrap();
    }
}

fn deep_folders(inside: &Path, depth: usize) {
    fs::create_dir_all(inside.join("d/".repeat(depth))).unwrap();
}

/// Each rule is a pattern of its own.
fn many_rules(inside: &Path) {
    let rules: String = (0..26_000).map(|number| format!("*{number}*?\n")).collect();
    fs::write(inside.join(".gitignore"), rules).unwrap();
}

fn rules_all_the_way(inside: &Path) {
    let deepest = inside.join("d/".repeat(7));
    fs::create_dir_all(&deepest).unwrap();
    deepest.ancestors().take(8).for_each(many_rules);
    fs::write(deepest.join("file"), "fine").unwrap();
}

fn long_line(inside: &Path) {
    fs::write(inside.join("long"), "x".repeat(3 << 20)).unwrap();
}

fn many_lines(inside: &Path) {
    fs::write(inside.join("many"), ("x".repeat(400) + "\n").repeat(8_000)).unwrap();
}

fn read(name: &'static str, path: &str) -> Attempt {
    guest("paths", name, reading()).reading(prepared).told(path)
}

/// Reads the file its arguments name, and says what is in it or fails with the code.
pub(super) fn reading() -> Guest {
    let import = r#"(import "switchboard:plugin/workspace@0.1.0" "read"
        (func $read (param i32 i32 i32 i32 i32)))"#;
    Guest::reading(format!("{READ} {OR_FAIL} {SAY_WHAT}")).with(import)
}

pub(super) const READ: &str = "(call $read (local.get $args) (local.get $args_len)
    (i32.const 1) (i32.const 100) (i32.const 4096))";
const OR_FAIL: &str = "(if (i32.load8_u (i32.const 4096)) (then (return
    (call $fail (i32.load (i32.const 4100)) (i32.load (i32.const 4104))))))";
const SAY_WHAT: &str = "(call $say (i32.load (i32.const 4100)) (i32.load (i32.const 4104)))";
const SAY_YES: &str = "(call $say (i32.const 64) (i32.const 3))";

/// Lists all files below the folder.
fn listing() -> Guest {
    let import = r#"(import "switchboard:plugin/workspace@0.1.0" "list"
        (func $list (param i32 i32 i32 i32 i32)))"#;
    let list = "(call $list (i32.const 0) (i32.const 0) (i32.const 1) (i32.const -1)
        (i32.const 4096))";
    Guest::reading(format!("{list} {OR_FAIL} {SAY_YES}")).with(import).pages(32)
}

/// Searches all files below the folder for the pattern its arguments are.
fn searching() -> Guest {
    searching_for("(local.get $args) (local.get $args_len)")
}

/// The same for what is most of its memory.
fn searching_itself() -> Guest {
    searching_for("(i32.const 65536) (i32.const 15728640)").with(
        "(func $start (memory.fill (i32.const 65536) (i32.const 46) (i32.const 15728640)))
        (start $start)",
    )
}

fn searching_for(pattern: &str) -> Guest {
    let import = r#"(import "switchboard:plugin/workspace@0.1.0" "search"
        (func $search (param i32 i32 i32 i32 i32 i32 i32 i32 i32)))"#;
    let search = format!(
        "(call $search {pattern} (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 100)
            (i32.const 0) (i32.const 0) (i32.const 4096))"
    );
    Guest::reading(format!("{search} {OR_FAIL} {SAY_YES}")).with(import).pages(256)
}
