CREATE TABLE sync_run (
  run_id INTEGER PRIMARY KEY,
  feed_key INTEGER NOT NULL REFERENCES feed,
  source TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  duration_milliseconds INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('updated', 'unchanged', 'quarantined', 'failed')),
  bytes INTEGER NOT NULL,
  new_count INTEGER NOT NULL,
  changed_count INTEGER NOT NULL,
  gone_count INTEGER NOT NULL,
  back_count INTEGER NOT NULL,
  unchanged_count INTEGER NOT NULL,
  skipped_count INTEGER NOT NULL,
  mended_count INTEGER NOT NULL,
  problems TEXT CHECK (problems IS NULL OR json_valid(problems)),
  error_code TEXT,
  error_message TEXT,
  error_hint TEXT,
  error_remedy TEXT CHECK (error_remedy IS NULL OR json_valid(error_remedy)),
  request_reason TEXT CHECK (request_reason <> ''),
  request_count INTEGER CHECK (request_count >= 0),
  request_status INTEGER,
  request_is_conditional INTEGER CHECK (request_is_conditional IN (0, 1)),
  CHECK ((error_code IS NULL) = (error_message IS NULL)),
  CHECK ((outcome IN ('quarantined', 'failed')) = (error_code IS NOT NULL)),
  CHECK ((request_reason IS NULL) = (request_count IS NULL)),
  CHECK ((request_reason IS NULL) = (request_is_conditional IS NULL))
) STRICT;

CREATE INDEX sync_run_by_feed ON sync_run (feed_key, run_id);

CREATE TABLE change (
  change_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES sync_run,
  feed_key INTEGER NOT NULL REFERENCES feed,
  offer_key INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (
    -- A chain: SQLite would build a table for IN at each row.
    kind = 'new' OR kind = 'changed' OR kind = 'gone' OR kind = 'back' OR kind = 'up'
    OR kind = 'down' OR kind = 'first'),
  at INTEGER NOT NULL,
  offer_count INTEGER CHECK (offer_count > 0),
  fields TEXT CHECK (fields IS NULL OR json_valid(fields)),
  CHECK ((kind = 'up' OR kind = 'down' OR kind = 'changed') = (fields IS NOT NULL)),
  CHECK ((kind = 'first') = (offer_count IS NOT NULL))
) STRICT;

CREATE INDEX change_first ON change (change_id) WHERE kind = 'first';
