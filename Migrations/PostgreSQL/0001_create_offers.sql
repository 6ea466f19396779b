-- Feeds, their offers, changes of offers, and sync runs.
-- Times are Unix seconds. Amounts are in minor units of a currency. Percentages are in hundredths of
-- a percent. Texts are compared by their bytes (COLLATE "C"), whatever the collation of the database.
-- No extension is needed: the program computes the keys of its orders and searches itself, so that
-- they mean the same in every store.

CREATE TABLE feed (
  feed_key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9-]+$'),
  -- From which the feed was last read.
  source TEXT NOT NULL CHECK (source <> ''),
  subscribed_at BIGINT NOT NULL,
  -- When a person gave the feed up, or it first failed; its offers and favorites stay.
  unsubscribed_at BIGINT,
  -- The name for people, as the definition or the document gives it.
  title TEXT,
  -- Labelled texts that every offer of the feed shows: [["Artist","…"],…].
  shared TEXT,
  -- The source that a person named instead of the definition's own, and who named it.
  chosen_source TEXT CHECK (chosen_source <> ''),
  source_origin TEXT CHECK (source_origin IN ('machine', 'remote', 'import')),
  -- The hash of the document that the current offers are, that of its first 64 KiB, and its size;
  -- NULL when they are not exactly one. Always written in the transaction that writes the offers.
  document_hash BYTEA CHECK (length(document_hash) = 16),
  document_head_hash BYTEA CHECK (length(document_head_hash) = 16),
  document_bytes BIGINT,
  -- The numbers of the offers of its document and of gone offers, without those that only a search on
  -- its server found. Always written in the transaction that writes the offers.
  current_count BIGINT NOT NULL DEFAULT 0 CHECK (current_count >= 0),
  gone_count BIGINT NOT NULL DEFAULT 0 CHECK (gone_count >= 0),
  CHECK (source_origin IS NULL OR chosen_source IS NOT NULL),
  CHECK ((document_hash IS NULL) = (document_bytes IS NULL)),
  CHECK ((document_hash IS NULL) = (document_head_hash IS NULL))
);

-- The state that is kept for a feed's server between syncs.
CREATE TABLE feed_fetch (
  feed_key BIGINT PRIMARY KEY REFERENCES feed,
  -- The validators of the stored document (RFC 9110, section 8.8), a hash of the URL that sent them, and
  -- the version of the rules by which the document was read. They are written in the transaction that
  -- writes the offers, and are NULL when the offers are not exactly that document.
  etag TEXT,
  last_modified TEXT,
  validated_mark TEXT,
  validated_rules BIGINT,
  -- When the document was last asked for without a condition.
  full_fetch_at BIGINT,
  -- When the feed should be synced next; NULL for its last run and its interval.
  next_due_at BIGINT,
  -- Until when its server asked to be left alone (Retry-After).
  wait_until BIGINT,
  -- How many syncs have failed since the last that worked, and since when.
  failure_count BIGINT NOT NULL DEFAULT 0 CHECK (failure_count >= 0),
  failing_since BIGINT,
  -- When its server said that it is gone for good (410).
  stopped_at BIGINT,
  -- A permanent redirect, and how many syncs in a row have met it.
  moved_from TEXT,
  moved_to TEXT,
  moved_count BIGINT NOT NULL DEFAULT 0 CHECK (moved_count >= 0),
  -- How many syncs in a row had their removals held back, and since when.
  held_count BIGINT NOT NULL DEFAULT 0 CHECK (held_count >= 0),
  held_since BIGINT,
  CHECK ((validated_mark IS NULL) = (validated_rules IS NULL)),
  CHECK ((etag IS NULL AND last_modified IS NULL) OR validated_mark IS NOT NULL),
  CHECK ((failure_count = 0) = (failing_since IS NULL)),
  CHECK ((moved_from IS NULL) = (moved_to IS NULL)),
  CHECK ((moved_from IS NULL) = (moved_count = 0)),
  CHECK ((held_count = 0) = (held_since IS NULL))
);

CREATE TABLE offer (
  -- Counts up in the order in which syncs first found the offers; see commit_order.
  offer_key BIGINT PRIMARY KEY,
  feed_key BIGINT NOT NULL REFERENCES feed,
  id TEXT COLLATE "C" NOT NULL CHECK (id <> ''),
  -- Tells an edited offer from an unedited one; see ContentHash.
  content_hash BIGINT NOT NULL,
  gone_at BIGINT,
  first_seen_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  -- When a search on the feed's server last found an offer that the feed's own document does not have;
  -- NULL for an offer of the document. Such an offer is searched, but is in no list and in no count,
  -- unless it is a favorite.
  found_at BIGINT,
  -- The first sync of the feed, if that one had the offer: one change stands for all of them. NULL for
  -- an offer with a change of its own.
  first_run_id BIGINT,
  name TEXT COLLATE "C" NOT NULL CHECK (name <> ''),
  description TEXT COLLATE "C",
  terms TEXT COLLATE "C",
  -- As printed, and its exact value where the text says one.
  reward_text TEXT COLLATE "C",
  reward_minor_units BIGINT,
  reward_currency TEXT COLLATE "C",
  reward_percent_hundredths BIGINT,
  reward_up_to BOOLEAN NOT NULL,
  image_url TEXT COLLATE "C",
  url TEXT COLLATE "C",
  -- Who sells it.
  retailer TEXT COLLATE "C",
  -- A list of texts, as JSON.
  categories TEXT COLLATE "C",
  starts_at BIGINT,
  expires_at BIGINT,
  -- Degrees.
  latitude DOUBLE PRECISION CHECK (latitude BETWEEN -90 AND 90),
  longitude DOUBLE PRECISION CHECK (longitude BETWEEN -180 AND 180),
  -- Labelled extras in order, as JSON: [["Artist","…"],…].
  attributes TEXT COLLATE "C",
  -- By which names are sorted and retailers and categories are selected; see NaturalOrder.
  name_key BYTEA NOT NULL,
  retailer_key BYTEA,
  category_keys BYTEA[],
  -- The searched words with their places; see SearchDocument.
  search TSVECTOR NOT NULL,
  UNIQUE (feed_key, id),
  CHECK ((reward_minor_units IS NULL) = (reward_currency IS NULL)),
  CHECK (reward_minor_units IS NULL OR reward_percent_hundredths IS NULL)
);

CREATE INDEX offer_by_feed ON offer (feed_key, offer_key);
CREATE INDEX offer_by_gone ON offer (gone_at) WHERE gone_at IS NOT NULL;
CREATE INDEX offer_by_found ON offer (feed_key, found_at) WHERE found_at IS NOT NULL;
CREATE INDEX offer_by_expiry ON offer (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX offer_by_search ON offer USING gin (search);

-- The words of all offers, for the correction of mistyped ones. It may also have words of offers that
-- were changed or removed.
CREATE TABLE search_word (
  word TEXT COLLATE "C" PRIMARY KEY CHECK (word <> '')
);

CREATE TABLE sync_run (
  -- Counts up in the order of commits; see commit_order.
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
  -- The first records that were skipped or mended, as JSON: [{"position","effect","reason"}].
  problems TEXT,
  error_code TEXT,
  error_message TEXT,
  error_hint TEXT,
  -- The step that resolves the error, as JSON: {"force":{"feed":…}}.
  error_remedy TEXT,
  -- The requests to the feed's server; NULL for a source that is not on a server.
  request_reason TEXT CHECK (request_reason <> ''),
  request_count BIGINT,
  request_status BIGINT,
  request_is_conditional BOOLEAN,
  CHECK ((error_code IS NULL) = (error_message IS NULL)),
  CHECK ((outcome IN ('quarantined', 'failed')) = (error_code IS NOT NULL)),
  CHECK ((request_reason IS NULL) = (request_count IS NULL)),
  CHECK ((request_reason IS NULL) = (request_is_conditional IS NULL))
);

CREATE INDEX sync_run_by_feed ON sync_run (feed_key, run_id);

-- One row for each time that an offer is new, changed, gone or back, and one for the first sync of a
-- feed, which stands for all of its new offers. Rows are never updated.
CREATE TABLE change (
  -- Counts up in the order of commits; see commit_order.
  change_id BIGINT PRIMARY KEY,
  run_id BIGINT NOT NULL REFERENCES sync_run,
  feed_key BIGINT NOT NULL REFERENCES feed,
  -- For a first sync, the last of its offers.
  offer_key BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL CHECK (
    kind IN ('first', 'new', 'up', 'down', 'changed', 'gone', 'back')),
  -- When the run began.
  at BIGINT NOT NULL,
  -- For a first sync, how many offers the feed had.
  offer_count BIGINT CHECK (offer_count > 0),
  -- For a changed offer: {"name":{"from":…,"to":…}}, the reward as the object JSON output prints.
  fields TEXT,
  CHECK ((kind IN ('up', 'down', 'changed')) = (fields IS NOT NULL)),
  CHECK ((kind = 'first') = (offer_count IS NOT NULL))
);

CREATE INDEX change_by_offer ON change (offer_key, change_id);
CREATE INDEX change_first ON change (change_id) WHERE kind = 'first';
-- Changes are in the order of their runs.
CREATE INDEX change_by_run ON change USING brin (run_id) WITH (autosummarize = on);

-- The last numbers of offers, changes and runs, in a single row. A transaction that writes offers or
-- runs locks the row before all else and keeps it until its end, so that numbers are in the order of
-- commits, without gaps that are filled later: nothing appears behind a cursor. Sequences do not
-- promise that. A number is not given again when its row is removed.
CREATE TABLE commit_order (
  order_key BIGINT PRIMARY KEY CHECK (order_key = 1),
  last_offer_key BIGINT NOT NULL,
  last_change_id BIGINT NOT NULL,
  last_run_id BIGINT NOT NULL
);
INSERT INTO commit_order VALUES (1, 0, 0, 0);

-- Every transaction that changes data changes one of these numbers: their sum is the version of the
-- data. There are several, so that writers seldom wait for each other.
CREATE TABLE commit_count (
  shard BIGINT PRIMARY KEY,
  number BIGINT NOT NULL
);
INSERT INTO commit_count SELECT shard, 0 FROM generate_series(0, 15) AS shard;

-- Which program syncs a feed. A lease ends by itself, by the clock of the database. Its token grows
-- with each lease: a sync whose lease was given to another program cannot commit any more.
CREATE TABLE sync_lease (
  feed TEXT COLLATE "C" PRIMARY KEY,
  token BIGINT NOT NULL,
  -- NULL if the lease was given back.
  until TIMESTAMPTZ
);
