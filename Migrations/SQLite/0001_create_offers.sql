-- Feeds, their offers, changes of offers, favorites, and sync runs.
-- Times are Unix seconds. Amounts are in minor units of a currency. Percentages are in hundredths
-- of a percent.

CREATE TABLE feed (
  feed_key INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> '' AND name NOT GLOB '*[^a-z0-9-]*'),
  source TEXT NOT NULL CHECK (source <> ''),
  subscribed_at INTEGER NOT NULL,
  -- How many offers the feed had when it was last synced.
  current_count INTEGER NOT NULL DEFAULT 0,
  -- The hash of the document that the current offers are, that of its first 64 KiB, and its size;
  -- NULL when they are not exactly one. Always written in the transaction that writes the offers.
  document_hash BLOB CHECK (length(document_hash) = 16),
  document_head_hash BLOB CHECK (length(document_head_hash) = 16),
  document_bytes INTEGER,
  CHECK ((document_hash IS NULL) = (document_bytes IS NULL)),
  CHECK ((document_hash IS NULL) = (document_head_hash IS NULL))
) STRICT;

CREATE TABLE offer (
  offer_key INTEGER PRIMARY KEY,
  feed_key INTEGER NOT NULL REFERENCES feed,
  id TEXT NOT NULL CHECK (id <> ''),
  -- Tells an edited offer from an unedited one; see ContentHash.
  content_hash INTEGER NOT NULL,
  gone_at INTEGER,
  first_seen_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  description TEXT,
  terms TEXT,
  -- As printed, and its exact value where the text says one.
  reward_text TEXT,
  reward_minor_units INTEGER,
  reward_currency TEXT,
  reward_percent_hundredths INTEGER,
  reward_up_to INTEGER NOT NULL CHECK (reward_up_to = 0 OR reward_up_to = 1),
  image_url TEXT,
  url TEXT,
  CHECK ((reward_minor_units IS NULL) = (reward_currency IS NULL)),
  CHECK (reward_minor_units IS NULL OR reward_percent_hundredths IS NULL)
) STRICT;

CREATE UNIQUE INDEX offer_by_id ON offer (feed_key, id);

-- A user's favorites. There is no foreign key, because a favorite outlives its offer and its feed.
CREATE TABLE favorite (
  feed TEXT NOT NULL,
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (feed, id)
) STRICT, WITHOUT ROWID;

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
  -- Offer rows inserted or updated.
  rows_written INTEGER NOT NULL,
  -- The first records that were skipped or mended: [{"position","effect","reason"}].
  problems TEXT CHECK (problems IS NULL OR json_valid(problems)),
  error_code TEXT,
  error_message TEXT,
  error_hint TEXT,
  CHECK ((error_code IS NULL) = (error_message IS NULL)),
  CHECK ((outcome IN ('quarantined', 'failed')) = (error_code IS NOT NULL))
) STRICT;

CREATE INDEX sync_run_by_feed ON sync_run (feed_key, run_id);

-- One row for each time that an offer is new, changed, gone or back. Rows are never updated.
CREATE TABLE change (
  change_id INTEGER PRIMARY KEY,
  offer_key INTEGER NOT NULL,
  run_id INTEGER NOT NULL REFERENCES sync_run,
  kind TEXT NOT NULL CHECK (
    -- A chain, because IN builds a table each time it is checked, which doubles an import's cost.
    kind = 'new' OR kind = 'changed' OR kind = 'gone' OR kind = 'back'
  ),
  -- For a changed offer: {"name":{"from":…,"to":…}}, the reward as the object JSON output prints.
  fields TEXT CHECK (fields IS NULL OR json_valid(fields)),
  CHECK ((kind = 'changed') <= (fields IS NOT NULL))
) STRICT;

-- The index leaves out rows of the kind 'new', which are most. The history of an offer is complete
-- without its only such row, because offer.first_seen_at has the time.
CREATE INDEX change_by_offer ON change (offer_key, change_id) WHERE kind <> 'new';

-- A new database reads the built-in sample until a user names a source.
INSERT INTO feed (name, source, subscribed_at) VALUES ('ibotta', 'sample', unixepoch());
