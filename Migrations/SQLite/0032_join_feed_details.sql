-- A feed is one row, and so is a run with its requests.

-- The tables are created anew, so that their statements are the whole ones of this file, with which the
-- schema of a database is compared (ForeignSchema).
CREATE TEMP TABLE kept_feed AS
SELECT feed.*, title, chosen_source, source_origin,
  CASE WHEN json_valid(shared) THEN shared END AS shared,
  CASE WHEN json_valid(presentation) THEN presentation END AS presentation,
  -- A feed without its details was in no list.
  CASE WHEN feed_detail.feed_key IS NULL THEN feed.subscribed_at ELSE unsubscribed_at END
    AS unsubscribed_at
FROM feed LEFT JOIN feed_detail USING (feed_key);
DROP TABLE feed_detail;
DROP TABLE feed;

CREATE TABLE feed (
  feed_key INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> '' AND name NOT GLOB '*[^a-z0-9-]*'),
  -- From which the feed was last read.
  source TEXT NOT NULL CHECK (source <> ''),
  subscribed_at INTEGER NOT NULL,
  -- When a person gave the feed up, or it first failed; its offers and favorites stay.
  unsubscribed_at INTEGER,
  -- The name for people, as the definition or the document gives it.
  title TEXT,
  -- Labelled texts that every offer of the feed shows: [["Artist","…"],…].
  shared TEXT CHECK (shared IS NULL OR json_valid(shared)),
  -- How the offers of the feed were shown by the definition of its last sync, for programs without that
  -- definition: {"layout","noun","nouns","value_role","byline"}. NULL if no sync has stored it.
  presentation TEXT CHECK (presentation IS NULL OR json_valid(presentation)),
  -- The source that a person named instead of the definition's own, and who named it.
  chosen_source TEXT CHECK (chosen_source <> ''),
  source_origin TEXT CHECK (source_origin IN ('machine', 'remote', 'import')),
  -- The hash of the document that the current offers are, that of its first 64 KiB, and its size;
  -- NULL when they are not exactly one. Always written in the transaction that writes the offers.
  document_hash BLOB CHECK (length(document_hash) = 16),
  document_head_hash BLOB CHECK (length(document_head_hash) = 16),
  document_bytes INTEGER,
  -- How many offers the feed has. Always written in the transaction that writes the offers.
  current_count INTEGER NOT NULL DEFAULT 0,
  CHECK (source_origin IS NULL OR chosen_source IS NOT NULL),
  CHECK ((document_hash IS NULL) = (document_bytes IS NULL)),
  CHECK ((document_hash IS NULL) = (document_head_hash IS NULL))
) STRICT;

INSERT INTO feed (
  feed_key, name, source, subscribed_at, unsubscribed_at, title, shared, presentation,
  chosen_source, source_origin, document_hash, document_head_hash, document_bytes, current_count)
SELECT feed_key, name, source, subscribed_at, unsubscribed_at, title, shared, presentation,
  chosen_source, source_origin, document_hash, document_head_hash, document_bytes, current_count
FROM kept_feed ORDER BY feed_key;
DROP TABLE temp.kept_feed;

CREATE TEMP TABLE kept_run AS
SELECT sync_run.*, reason, request_count, status, is_conditional
FROM sync_run LEFT JOIN sync_request USING (run_id);
DROP TABLE sync_request;
DROP TABLE sync_run;

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
  -- The first records that were skipped or mended: [{"position","effect","reason"}].
  problems TEXT CHECK (problems IS NULL OR json_valid(problems)),
  error_code TEXT,
  error_message TEXT,
  error_hint TEXT,
  -- The step that resolves the error: {"force":{"feed":…}}.
  error_remedy TEXT CHECK (error_remedy IS NULL OR json_valid(error_remedy)),
  -- The requests to the feed's server: why they were made (asked, due, forced), how many, the status of the
  -- last answer, and whether it was asked for with a condition. NULL for a source that is not on a server.
  request_reason TEXT CHECK (request_reason <> ''),
  request_count INTEGER CHECK (request_count >= 0),
  request_status INTEGER,
  request_is_conditional INTEGER CHECK (request_is_conditional IN (0, 1)),
  CHECK ((error_code IS NULL) = (error_message IS NULL)),
  CHECK ((outcome IN ('quarantined', 'failed')) = (error_code IS NOT NULL)),
  CHECK ((request_reason IS NULL) = (request_count IS NULL)),
  CHECK ((request_reason IS NULL) = (request_is_conditional IS NULL))
) STRICT;

INSERT INTO sync_run (
  run_id, feed_key, source, started_at, duration_milliseconds, outcome, bytes, new_count,
  changed_count, gone_count, back_count, unchanged_count, skipped_count, mended_count, problems,
  error_code, error_message, error_hint, error_remedy, request_reason, request_count,
  request_status, request_is_conditional)
SELECT run_id, feed_key, source, started_at, duration_milliseconds, outcome, bytes, new_count,
  changed_count, gone_count, back_count, unchanged_count, skipped_count, mended_count, problems,
  error_code, error_message, error_hint, error_remedy, reason, request_count,
  status, is_conditional
FROM kept_run ORDER BY run_id;
DROP TABLE temp.kept_run;

CREATE INDEX sync_run_by_feed ON sync_run (feed_key, run_id);
