-- What a ledger file holds. Times are milliseconds since 1970 in UTC.

-- What the file is: `format` of the events, `written_by` which version, `tag` in all its ids.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- The facts in their one order. `data` is the event; `kind` and `agent` repeat what it says, so
-- that one can select by them: agent 12 is the one whose id ends in -12. `previous` is the place of
-- the agent's event before, so that its events are found from its last one on. An index would do
-- that too, but a batch for many agents dirties as many of its pages.
CREATE TABLE events (
    seq      INTEGER NOT NULL PRIMARY KEY CHECK (seq > 0),
    at       INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    agent    INTEGER,
    previous INTEGER,
    data     TEXT    NOT NULL
) STRICT;

-- What a run needs besides its events to be taken up again.
CREATE TABLE documents (
    name TEXT NOT NULL PRIMARY KEY,
    text TEXT NOT NULL
) STRICT;

-- The same for reading: local time, whole ids, and the words of a message or a step.
CREATE VIEW readable AS
SELECT
    seq,
    strftime('%Y-%m-%d %H:%M:%f', at / 1000.0, 'unixepoch', 'localtime') AS time,
    kind,
    'agt_' || (SELECT value FROM meta WHERE key = 'tag') || '-' || agent AS agent,
    coalesce(
        data ->> '$.message.content.blocks[0].text',
        data ->> '$.prompt.content.blocks[0].text',
        data ->> '$.text'
    ) AS words
FROM events;
