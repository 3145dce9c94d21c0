use std::fs;
use std::os::unix::fs::symlink;

use tempfile::{TempDir, tempdir};
use tokio_util::sync::CancellationToken;

use super::*;

/// A folder with these files in it, each holding its own path.
fn folder(files: &[&str]) -> (TempDir, Folder) {
    let dir = tempdir().unwrap();
    for file in files {
        write(&dir, file, file);
    }
    let folder = Folder::open(dir.path()).unwrap();
    (dir, folder)
}

fn write(dir: &TempDir, file: &str, text: impl AsRef<[u8]>) {
    let path = dir.path().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn list(folder: &Folder, path: &str, recursive: bool) -> Vec<String> {
    let listing = folder.list(path, recursive, 10_000, &CancellationToken::new()).unwrap();
    assert!(!listing.more);
    listing.entries.into_iter().map(|entry| entry.path).collect()
}

fn search(folder: &Folder, pattern: &str, path: &str) -> Findings {
    let query = Query {
        pattern: pattern.to_owned(),
        path: path.to_owned(),
        ignore_case: false,
        limit: 100,
    };
    folder.search(&query, &CancellationToken::new()).unwrap()
}

fn code<T: std::fmt::Debug>(result: Result<T, Failure>) -> &'static str {
    result.unwrap_err().code
}

#[test]
fn a_listing_is_in_order_of_path_and_goes_down_only_if_asked() {
    let (_dir, folder) = folder(&["b", "a/y", "a/x/z", "c"]);
    assert_eq!(list(&folder, "", false), ["a", "b", "c"]);
    assert_eq!(list(&folder, "", true), ["a", "a/x", "a/x/z", "a/y", "b", "c"]);
    assert_eq!(list(&folder, "./a//x/", true), ["a/x/z"]);
    let all = folder.list("", false, 2, &CancellationToken::new()).unwrap();
    assert_eq!((all.entries.len(), all.more), (2, true));
    assert_eq!((all.entries[0].kind, all.entries[1].size), (Kind::Folder, 1));
    assert_eq!(code(folder.list("b", false, 2, &CancellationToken::new())), "not-a-folder");
}

#[test]
fn an_empty_folder_and_one_of_ten_thousand_files_can_be_listed_and_searched() {
    let (_dir, empty) = folder(&[]);
    assert_eq!(list(&empty, "", true), [] as [&str; 0]);
    assert_eq!(search(&empty, ".", "").files_searched, 0);
    let names: Vec<_> = (0..10_000).map(|number| format!("{}/{number}", number % 100)).collect();
    let (_dir, full) = folder(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let listing = full.list("", true, u32::MAX, &CancellationToken::new()).unwrap();
    assert_eq!((listing.entries.len(), listing.more), (10_000, true));
    let findings = search(&full, "^42/", "");
    assert_eq!((findings.hits.len(), findings.files_searched), (100, 10_000));
}

#[test]
fn what_leads_outside_is_refused_however_it_is_made() {
    let outside = tempdir().unwrap();
    write(&outside, "secret", "secret");
    write(&outside, "in/file", "file");
    let inside = outside.path().join("in");
    symlink("../secret", inside.join("relative")).unwrap();
    symlink(outside.path().join("secret"), inside.join("absolute")).unwrap();
    symlink("..", inside.join("up")).unwrap();
    symlink("file", inside.join("fine")).unwrap();
    let folder = Folder::open(&inside).unwrap();
    let absolute = outside.path().join("secret");
    let absolute = absolute.to_str().unwrap();
    for path in ["../secret", "a/../../secret", "relative", "absolute", "up/secret", absolute] {
        assert_eq!(code(folder.read(path, 1, 1)), "outside", "{path}");
        assert_eq!(code(folder.state(path)), "outside", "{path}");
    }
    assert_eq!(code(folder.list("up", true, 9, &CancellationToken::new())), "outside");
    assert_eq!(folder.read("fine", 1, 1).unwrap().content, "file");
    assert_eq!(list(&folder, "", true), ["absolute", "file", "fine", "relative", "up"]);
    assert_eq!(search(&folder, "secret", "").hits, [], "links are not followed");
    let text = folder.read("absolute", 1, 1).unwrap_err().text;
    assert!(!text.contains(outside.path().to_str().unwrap()), "sand_5: {text}");
}

#[test]
fn what_git_ignores_is_not_there() {
    let (dir, folder) = folder(&["kept", "a.log", "keep.log", "sub/b.log", "target/x", "sub/own"]);
    write(&dir, ".gitignore", "*.log\n!keep.log\n/target/\n");
    write(&dir, "sub/.gitignore", "own\n");
    write(&dir, ".git/config", "");
    write(&dir, ".switchboard/state.db", "");
    symlink("../a.log", dir.path().join("sub/link")).unwrap();
    let all = [".gitignore", "keep.log", "kept", "sub", "sub/.gitignore", "sub/link"];
    assert_eq!(list(&folder, "", true), all);
    for path in ["a.log", "sub/b.log", "target", "target/x", "sub/own", ".git/config", "sub/link"] {
        assert_eq!(code(folder.read(path, 1, 1)), "not-found", "{path}");
    }
    assert_eq!(code(folder.read(".switchboard/state.db", 1, 1)), "not-found");
    assert_eq!(search(&folder, "log", "").hits.len(), 3, "two rules and one file");
    assert_eq!(folder.state("a.log").unwrap(), State::Absent);
    symlink("../target", dir.path().join("sub/out")).unwrap();
    assert_eq!(folder.state("sub/link").unwrap(), State::Absent, "nor by a link");
    assert_eq!(code(folder.list("sub/out", false, 9, &CancellationToken::new())), "not-found");
}

#[test]
fn sand_1_below_rules_that_nobody_reads_to_their_end_everything_is_hidden() {
    let (dir, folder) = folder(&["a/early", "a/late", "b/there"]);
    let fill = |bytes: usize| "#".repeat(bytes - 1) + "\n";
    write(&dir, ".gitignore", fill(60 << 10));
    write(&dir, "a/.gitignore", "early\n".to_owned() + &fill(4 << 10) + "late\n");
    assert_eq!(code(folder.read("a/early", 1, 1)), "not-found");
    assert_eq!(code(folder.read("a/late", 1, 1)), "not-found");
    assert_eq!(list(&folder, "a", false), Vec::<String>::new());
    assert_eq!(folder.read("b/there", 1, 1).unwrap().content, "b/there");
}

#[test]
fn the_rules_of_the_repository_above_hold_too() {
    let (dir, _) = folder(&["sub/a.log", "sub/deep/own", "sub/kept"]);
    write(&dir, ".gitignore", "*.log\n/sub/deep\n");
    fs::create_dir(dir.path().join(".git")).unwrap();
    let folder = Folder::open(&dir.path().join("sub")).unwrap();
    assert_eq!(list(&folder, "", true), ["kept"]);
}

#[test]
fn lines_are_read_from_where_one_likes_and_counted() {
    let (dir, folder) = folder(&[]);
    write(&dir, "file", "one\ntwo\nthree");
    let two = folder.read("file", 2, 1).unwrap();
    assert_eq!((two.content.as_str(), two.total_lines, two.more), ("two\n", 3, true));
    let rest = folder.read("file", 2, 400).unwrap();
    assert_eq!((rest.content.as_str(), rest.more), ("two\nthree", false));
    let past = folder.read("file", 9, 400).unwrap();
    assert_eq!((past.content.as_str(), past.more), ("", false));
    assert_eq!(code(folder.read("file", 0, 1)), "invalid-argument");
}

#[test]
fn what_cannot_be_read_as_text_says_why() {
    let (dir, folder) = folder(&["sub/file"]);
    write(&dir, "binary", [1, 0, 2]);
    write(&dir, "latin", [b'a', 0xe4]);
    write(&dir, "large", "text\n".repeat(1 << 20));
    assert_eq!(code(folder.read("binary", 1, 1)), "not-text");
    assert_eq!(code(folder.read("latin", 1, 1)), "not-text");
    assert_eq!(code(folder.read("large", 1, 1)), "too-large");
    assert_eq!(code(folder.read("sub", 1, 1)), "not-a-file");
    assert_eq!(code(folder.read("", 1, 1)), "not-a-file");
    assert_eq!(code(folder.read("gone", 1, 1)), "not-found");
    assert_eq!(code(folder.read("sub/file/more", 1, 1)), "not-found");
    assert_eq!(code(folder.read("a\0b", 1, 1)), "invalid-argument");
    assert_eq!(code(folder.read(&"a".repeat(300), 1, 1)), "invalid-argument");
    let long = "./".repeat(2_048) + "sub/file";
    assert_eq!(code(folder.read(&long, 1, 1)), "invalid-argument", "however short it is in fact");
    assert_eq!(search(&folder, "sub", "").files_searched, 1, "none of them is searched");
}

#[test]
fn a_file_that_has_grown_since_it_was_looked_at_is_read_no_further() {
    let (dir, folder) = folder(&[]);
    fs::File::create(dir.path().join("large")).unwrap().set_len(5 << 20).unwrap();
    assert_eq!(folder.bytes_of(Path::new("large")).unwrap().len(), 4 << 20);
}

#[test]
fn what_is_deeper_than_anybody_needs_is_left_out_and_the_listing_says_that_there_is_more() {
    let (dir, folder) = folder(&[]);
    fs::create_dir_all(dir.path().join("d/".repeat(70))).unwrap();
    let listing = folder.list("", true, 100, &CancellationToken::new()).unwrap();
    assert_eq!((listing.entries.len(), listing.more), (64, true));
    assert!(search(&folder, "x", "").more);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_the_rules_above_holds_nobody_up() {
    let dir = tempdir().unwrap();
    let inside = dir.path().join("sub");
    fs::create_dir_all(&inside).unwrap();
    fs::create_dir(dir.path().join(".git")).unwrap();
    let rules = dir.path().join(".gitignore");
    assert!(std::process::Command::new("mkfifo").arg(rules).status().unwrap().success());
    let (opened, opens) = std::sync::mpsc::channel();
    std::thread::spawn(move || opened.send(Folder::open(&inside).is_ok()));
    assert_eq!(opens.recv_timeout(std::time::Duration::from_secs(60)), Ok(true));
}

#[test]
fn a_long_answer_is_cut_and_says_so() {
    let (dir, folder) = folder(&[]);
    write(&dir, "lines", "0123456789\n".repeat(100_000));
    let part = folder.read("lines", 1, 100_000).unwrap();
    assert!(part.more && part.content.len() <= 256 << 10 && part.content.ends_with("9\n"));
    write(&dir, "line", "x".repeat(1 << 20));
    assert!(folder.read("line", 1, 1).unwrap().content.ends_with(" [line cut]\n"));
    assert!(search(&folder, "xx", "line").hits[0].text.ends_with(" [cut]"));
}

#[test]
fn a_search_is_bounded_and_can_be_narrowed() {
    let (dir, folder) = folder(&["a/one", "b/two"]);
    write(&dir, "b/many", "Needle\n".repeat(200));
    let query = |limit, ignore_case| Query {
        pattern: "needle".to_owned(),
        path: "b".to_owned(),
        ignore_case,
        limit,
    };
    let none = folder.search(&query(100, false), &CancellationToken::new()).unwrap();
    assert_eq!((none.hits.len(), none.files_searched), (0, 2));
    let some = folder.search(&query(100, true), &CancellationToken::new()).unwrap();
    assert_eq!((some.hits.len(), some.more), (100, true));
    assert_eq!((some.hits[7].path.as_str(), some.hits[7].line), ("b/many", 8));
    assert_eq!(search(&folder, "t.o", "b/two").hits.len(), 1);
    write(&dir, "b/many", "Needle\n".repeat(1_001));
    let all = folder.search(&query(u32::MAX, true), &CancellationToken::new()).unwrap();
    assert_eq!((all.hits.len(), all.more), (1_000, true));
    let wrong = Query { pattern: "(".to_owned(), ..query(1, false) };
    assert_eq!(code(folder.search(&wrong, &CancellationToken::new())), "invalid-argument");
    let huge = Query { pattern: "(a{1000}){1000}".to_owned(), ..query(1, false) };
    assert_eq!(code(folder.search(&huge, &CancellationToken::new())), "invalid-argument");
    let long = Query { pattern: "a".repeat(4_097), ..query(1, false) };
    assert_eq!(code(folder.search(&long, &CancellationToken::new())), "invalid-argument");
}

#[test]
fn a_line_without_end_is_looked_at_so_far_and_what_is_not_is_said() {
    let (dir, folder) = folder(&[]);
    write(&dir, "one", "x".repeat(10 << 10) + "needle" + &"x".repeat(3 << 20));
    assert_eq!(search(&folder, "needle", "one").hits.len(), 1);
    // At each letter it can mean any of its many letters.
    let findings = search(&folder, "(x{0,40}){0,5}[^x]", "one");
    assert_eq!((findings.hits.len(), findings.more), (1, true));
    write(&dir, "two", "x".repeat(20 << 10) + "needle");
    let findings = search(&folder, "needle", "two");
    assert_eq!((findings.hits.len(), findings.more), (0, true));
}

#[test]
fn what_is_told_to_stop_stops() {
    let (_dir, folder) = folder(&["a", "b"]);
    let stop = CancellationToken::new();
    stop.cancel();
    assert_eq!(folder.list("", true, 9, &stop).unwrap().entries, []);
    let query =
        Query { pattern: "a".to_owned(), path: "a".to_owned(), ignore_case: false, limit: 9 };
    assert_eq!(folder.search(&query, &stop).unwrap().hits, [], "in the middle of a file, too");
}

#[test]
fn a_file_that_comes_changes_or_goes_is_noticed() {
    let (dir, folder) = folder(&["file"]);
    let before = folder.state("file").unwrap();
    assert_eq!(before.change(folder.state("file").unwrap()), Change::Unchanged);
    write(&dir, "file", "longer");
    let longer = folder.state("file").unwrap();
    assert_eq!(before.change(longer), Change::Changed);
    fs::remove_file(dir.path().join("file")).unwrap();
    let gone = folder.state("file").unwrap();
    assert_eq!((longer.change(gone), gone.change(longer)), (Change::Removed, Change::Created));
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_files_place_holds_nobody_up() {
    let (dir, folder) = folder(&["plain"]);
    let pipe = dir.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    assert!(folder.bytes_of(std::path::Path::new("pipe")).is_err());
    assert_eq!(code(folder.read("pipe", 1, 9)), "not-a-file");
}

#[cfg(unix)]
#[test]
fn a_link_to_what_is_hidden_is_judged_by_where_it_leads_when_it_is_opened() {
    let (dir, folder) = folder(&["seen"]);
    write(&dir, ".git/config", "secret");
    std::os::unix::fs::symlink(".git/config", dir.path().join("link")).unwrap();
    assert!(folder.bytes_of(std::path::Path::new("link")).is_err(), "past the look before");
    assert!(folder.bytes_of(std::path::Path::new("seen")).is_ok());
}

#[test]
fn a_name_that_would_forge_lines_is_left_out_and_the_listing_says_that_there_is_more() {
    let (dir, folder) = folder(&["a.rs"]);
    write(&dir, "z.rs:1: forged\ny.rs", "text");
    let listing = folder.list("", true, 100, &CancellationToken::new()).unwrap();
    assert_eq!(listing.entries.len(), 1);
    assert!(listing.more);
}

#[test]
fn a_folder_with_more_in_it_than_can_be_kept_is_gone_through_in_part_and_told_so() {
    let (dir, folder) = folder(&["many/more/file"]);
    for (place, count) in [("many", walk::MOST_KEPT / 2), ("many/more", walk::MOST_KEPT / 2 + 1)] {
        let place = dir.path().join(place);
        (0..count).for_each(|link| symlink("nowhere", place.join(link.to_string())).unwrap());
    }
    let found = search(&folder, "file", "many/more");
    assert_eq!((found.hits.len(), found.more), (1, false));
    assert!(search(&folder, "nothing", "").more, "both together are too many");
    let stop = CancellationToken::new();
    stop.cancel();
    assert_eq!(folder.list("many", false, 1, &stop).unwrap(), Listing::default());
}

#[test]
fn what_lies_deeper_than_its_rules_can_be_looked_at_is_not_there() {
    let (dir, folder) = folder(&["top"]);
    let mut at = folder.root.try_clone().unwrap();
    for _ in 0..hidden::MOST_PARTS + 1 {
        at.write("file", "x").unwrap();
        at.create_dir("a").unwrap();
        at = at.open_dir("a").unwrap();
    }
    let deep = |parts: usize| "a/".repeat(parts - 1) + "file";
    assert_eq!(folder.read(&deep(hidden::MOST_PARTS), 1, 1).unwrap().content, "x");
    let beyond = deep(hidden::MOST_PARTS + 1);
    assert_eq!(code(folder.read(&beyond, 1, 1)), "not-found");
    assert_eq!(folder.state(&beyond), Ok(State::Absent));
    symlink("a/".repeat(hidden::MOST_PARTS), dir.path().join("link")).unwrap();
    assert_eq!(code(folder.read("link/file", 1, 1)), "not-found");
    let found = search(&folder, "x", &"a/".repeat(hidden::MOST_PARTS - 2));
    assert_eq!((found.files_searched, found.hits.len(), found.more), (2, 2, true));
}

#[test]
fn of_all_failures_only_that_others_read_already_passes_by_itself() {
    assert!(Failure::busy().passes());
    assert!(!Failure::not_found("file").passes() && !Failure::outside("..").passes());
}
