-- The state that is kept for a feed's server between syncs, and the marks and notices of readers.

CREATE TABLE feed_fetch (
  feed_key INTEGER PRIMARY KEY REFERENCES feed,
  -- What the server vouches for the stored document with (RFC 9110, section 8.8), a hash of the
  -- address that gave it, and by which rules it was read. Always written in the transaction that writes the
  -- offers, and NULL when they are not exactly that document.
  etag TEXT,
  last_modified TEXT,
  validated_mark TEXT,
  validated_rules INTEGER,
  -- When the document was last asked for without a condition.
  full_fetch_at INTEGER,
  -- When the feed should be synced next; NULL for its last run and its interval.
  next_due_at INTEGER,
  -- Until when its server asked to be left alone (Retry-After).
  wait_until INTEGER,
  -- How many syncs have failed since the last that worked, and since when.
  failure_count INTEGER NOT NULL DEFAULT 0 CHECK (failure_count >= 0),
  failing_since INTEGER,
  -- When its server said that it is gone for good (410).
  stopped_at INTEGER,
  -- A permanent redirect, and how many syncs in a row have met it.
  moved_from TEXT,
  moved_to TEXT,
  moved_count INTEGER NOT NULL DEFAULT 0 CHECK (moved_count >= 0),
  -- How many syncs in a row had their removals held back, and since when.
  held_count INTEGER NOT NULL DEFAULT 0 CHECK (held_count >= 0),
  held_since INTEGER,
  CHECK ((validated_mark IS NULL) = (validated_rules IS NULL)),
  CHECK ((etag IS NULL AND last_modified IS NULL) OR validated_mark IS NOT NULL),
  CHECK ((failure_count = 0) = (failing_since IS NULL)),
  CHECK ((moved_from IS NULL) = (moved_to IS NULL)),
  CHECK ((moved_from IS NULL) = (moved_count = 0)),
  CHECK ((held_count = 0) = (held_since IS NULL))
) STRICT;

-- The requests of a run to the feed's server.
CREATE TABLE sync_request (
  run_id INTEGER PRIMARY KEY REFERENCES sync_run,
  -- Why the feed was synced: asked, due, forced.
  reason TEXT NOT NULL CHECK (reason <> ''),
  -- Requests made, redirects and pages included; the last answer's status, and whether it was
  -- asked with a condition. NULL where no answer came.
  request_count INTEGER NOT NULL CHECK (request_count >= 0),
  status INTEGER,
  is_conditional INTEGER NOT NULL CHECK (is_conditional IN (0, 1))
) STRICT;

-- How far each reader has read the changes.
CREATE TABLE reader (
  name TEXT PRIMARY KEY CHECK (name <> ''),
  change_id INTEGER NOT NULL,
  read_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The delivered notices about facts that are no changes: that an offer expires, or that a feed
-- keeps failing. They count for all readers.
CREATE TABLE notice (
  kind TEXT NOT NULL CHECK (kind <> ''),
  feed TEXT NOT NULL,
  -- The offer's id, or '' for the feed itself.
  id TEXT NOT NULL,
  -- When it expires, or since when it fails.
  about INTEGER NOT NULL,
  told_at INTEGER NOT NULL,
  PRIMARY KEY (kind, feed, id, about)
) STRICT, WITHOUT ROWID;

-- Gone offers are looked up by their age, to prune them, and expiring offers by their expiry date.
CREATE INDEX offer_by_gone ON offer (gone_at) WHERE gone_at IS NOT NULL;
CREATE INDEX offer_detail_by_expiry ON offer_detail (expires_at) WHERE expires_at IS NOT NULL;
