//! A ledger is a file that anybody can read, also while its host writes.

use rusqlite::Connection;
use switchboard_ledger::{Ledger, Sqlite};

use crate::events::{AT, accepted, agent, all, batch, of_agent, opened, replay};

fn one<T: rusqlite::types::FromSql>(file: &Connection, query: &str) -> T {
    file.query_row(query, [], |row| row.get(0)).unwrap()
}

#[test]
fn the_events_are_plain_rows_whose_data_is_the_json_of_the_event() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Sqlite::create(folder.path().join("run.db")).unwrap();
    let event = accepted(12, "hello");
    host.append(AT, &[opened(), event.clone()]).unwrap();

    let file = Connection::open(host.path()).unwrap();
    let kinds = "SELECT group_concat(data ->> '$.event', ' ') FROM events";
    assert_eq!(one::<String>(&file, kinds), "forest-opened accepted");
    let extracted = "SELECT json_extract(data, '$.event') FROM events WHERE agent = 12";
    assert_eq!(one::<String>(&file, extracted), event.kind());
    let data = one::<String>(&file, "SELECT data FROM events WHERE seq = 2");
    assert_eq!(data, serde_json::to_string(&event).unwrap());
    assert_eq!(one::<String>(&file, "SELECT value FROM meta WHERE key = 'tag'"), {
        agent(12).tag().to_string()
    });
}

#[test]
fn the_readable_view_shows_whole_ids_and_words() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Sqlite::create(folder.path().join("run.db")).unwrap();
    host.append(AT, &[opened(), accepted(12, "hello")]).unwrap();
    let file = Connection::open(host.path()).unwrap();
    let line = "SELECT agent || ' ' || words FROM readable WHERE kind = 'accepted'";
    assert_eq!(one::<String>(&file, line), format!("{} hello", agent(12)));
    let time = one::<String>(&file, "SELECT time FROM readable WHERE seq = 1");
    assert!(time.starts_with("2026-09-"), "{time}");
}

#[test]
fn readers_are_welcome_while_a_host_writes_and_follow_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Sqlite::create(folder.path().join("run.db")).unwrap();
    host.append(AT, &batch(&["a"])).unwrap();
    let mut reader = Sqlite::open_reader(host.path()).unwrap();
    assert_eq!(all(&mut reader), batch(&["a"]));
    host.append(AT, &batch(&["b", "c"])).unwrap();
    let mut news = Vec::new();
    reader.replay_after(1, &mut |stored| news.push(stored.event)).unwrap();
    assert_eq!(news, batch(&["b", "c"]));
}

#[test]
fn a_reader_may_not_write() {
    let folder = tempfile::tempdir().unwrap();
    let host = Sqlite::create(folder.path().join("run.db")).unwrap();
    let mut reader = Sqlite::open_reader(host.path()).unwrap();
    let refused = reader.append(AT, &batch(&["a"])).unwrap_err();
    assert!(refused.problem.contains("opened for reading"), "{refused}");
    reader.put_document("crew", "").unwrap_err();
    reader.checkpoint().unwrap();
}

#[test]
fn led_1_records_that_are_gone_or_no_text_are_reported_and_the_rest_replays() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Sqlite::create(folder.path().join("run.db")).unwrap();
    host.append(AT, &batch(&["a", "b", "c", "d", "e", "f"])).unwrap();
    let file = Connection::open(host.path()).unwrap();
    file.execute("DELETE FROM events WHERE seq IN (2, 3, 5)", []).unwrap();
    file.execute("UPDATE events SET data = CAST(x'ff' AS TEXT) WHERE seq = 6", []).unwrap();
    let (stored, quarantined) = replay(&mut host);
    assert_eq!(stored.iter().map(|one| one.seq).collect::<Vec<_>>(), [1, 4]);
    assert_eq!(quarantined.iter().map(|bad| bad.seq).collect::<Vec<_>>(), [2, 5, 6]);
    assert_eq!(quarantined[0].problem, "it and the 1 behind it are gone from the file");
    assert!(quarantined[2].problem.contains("columns"), "{}", quarantined[2].problem);
}

#[test]
fn led_3_a_program_that_writes_beside_the_host_is_noticed_and_what_it_wrote_is_taken_in() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Sqlite::create(folder.path().join("run.db")).unwrap();
    host.append(AT, &batch(&["a"])).unwrap();
    let file = Connection::open(host.path()).unwrap();
    let copy = "INSERT INTO events SELECT 2, at, kind, agent, 1, data FROM events";
    file.execute(copy, []).unwrap();
    let failed = host.append(AT, &batch(&["b"])).unwrap_err();
    assert!(failed.problem.contains("Something else wrote"), "{failed}");
    host.append(AT, &batch(&["b"])).unwrap_err();
    host.reopen().unwrap();
    assert_eq!(all(&mut host), batch(&["a", "a"]));
    assert_eq!(host.append(AT, &batch(&["b"])).unwrap(), 3);
}

#[test]
fn led_4_an_agents_events_are_all_found_where_the_way_from_one_to_the_one_before_is_broken() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Sqlite::create(folder.path().join("run.db")).unwrap();
    let (mine, others) = (|words| accepted(1, words), accepted(2, "x"));
    host.append(AT, &[mine("a"), others.clone(), mine("b"), others, mine("c")]).unwrap();
    assert_eq!(of_agent(&mut host, 1), batch(&["a", "b", "c"]));
    let file = Connection::open(host.path()).unwrap();
    let previous = one::<i64>(&file, "SELECT previous FROM events WHERE seq = 5");
    assert_eq!(previous, 3);
    assert_eq!(host.misfiled().unwrap(), []);
    // To itself, on, to another agent's, to none at all.
    for wrong in ["5", "6", "2", "0"] {
        let bend = format!("UPDATE events SET previous = {wrong} WHERE seq = 5");
        file.execute(&bend, []).unwrap();
        assert_eq!(of_agent(&mut host, 1), batch(&["a", "b", "c"]), "{wrong}");
        assert_eq!(host.misfiled().unwrap().len(), 1, "{wrong}");
    }
    file.execute("UPDATE events SET previous = 3 WHERE seq = 5", []).unwrap();
    file.execute("DELETE FROM events WHERE seq = 3", []).unwrap();
    assert_eq!(of_agent(&mut host, 1), batch(&["a", "c"]));
}

#[test]
fn led_4_a_host_that_takes_a_ledger_up_goes_on_where_each_agent_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    Sqlite::create(&path).unwrap().append(AT, &[accepted(1, "a"), accepted(2, "x")]).unwrap();
    let mut host = Sqlite::open(&path).unwrap();
    host.append(AT, &batch(&["b"])).unwrap();
    host.reopen().unwrap();
    assert_eq!(of_agent(&mut host, 1), batch(&["a", "b"]));
    host.append(AT, &batch(&["c"])).unwrap();
    assert_eq!(of_agent(&mut host, 1), batch(&["a", "b", "c"]));
    assert_eq!(host.misfiled().unwrap(), []);
}
