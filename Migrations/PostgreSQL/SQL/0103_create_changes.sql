CREATE TABLE sync_run (
  run_id BIGINT PRIMARY KEY,
  feed_key BIGINT NOT NULL REFERENCES feed,
  source TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  duration_milliseconds BIGINT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('updated', 'unchanged', 'quarantined', 'failed')),
  bytes BIGINT NOT NULL,
  new_count BIGINT NOT NULL,
  changed_count BIGINT NOT NULL,
  gone_count BIGINT NOT NULL,
  back_count BIGINT NOT NULL,
  unchanged_count BIGINT NOT NULL,
  skipped_count BIGINT NOT NULL,
  mended_count BIGINT NOT NULL,
  problems TEXT,
  error_code TEXT,
  error_message TEXT,
  error_hint TEXT,
  error_remedy TEXT,
  request_reason TEXT CHECK (request_reason <> ''),
  request_count BIGINT CHECK (request_count >= 0),
  request_status BIGINT,
  request_is_conditional BOOLEAN,
  CHECK ((error_code IS NULL) = (error_message IS NULL)),
  CHECK ((outcome IN ('quarantined', 'failed')) = (error_code IS NOT NULL)),
  CHECK ((request_reason IS NULL) = (request_count IS NULL)),
  CHECK ((request_reason IS NULL) = (request_is_conditional IS NULL))
);

CREATE INDEX sync_run_by_feed ON sync_run (feed_key, run_id);

CREATE TABLE change (
  change_id BIGINT PRIMARY KEY,
  run_id BIGINT NOT NULL REFERENCES sync_run,
  feed_key BIGINT NOT NULL REFERENCES feed,
  offer_key BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL CHECK (
    kind = 'new' OR kind = 'changed' OR kind = 'gone' OR kind = 'back' OR kind = 'up'
    OR kind = 'down' OR kind = 'first'),
  at BIGINT NOT NULL,
  offer_count BIGINT CHECK (offer_count > 0),
  fields TEXT,
  CHECK ((kind = 'up' OR kind = 'down' OR kind = 'changed') = (fields IS NOT NULL)),
  CHECK ((kind = 'first') = (offer_count IS NOT NULL))
);

CREATE INDEX change_first ON change (change_id) WHERE kind = 'first';
