CREATE TABLE offer (
  offer_key INTEGER PRIMARY KEY,
  feed_key INTEGER NOT NULL REFERENCES feed,
  id TEXT NOT NULL CHECK (id <> ''),
  content_hash INTEGER NOT NULL,
  first_run_id INTEGER,
  first_seen_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  gone_at INTEGER,
  found_at INTEGER,
  starts_at INTEGER,
  expires_at INTEGER,
  reward_minor_units INTEGER,
  reward_currency TEXT,
  reward_percent_hundredths INTEGER,
  reward_up_to INTEGER NOT NULL CHECK (reward_up_to = 0 OR reward_up_to = 1),
  latitude REAL CHECK (latitude BETWEEN -90 AND 90),
  longitude REAL CHECK (longitude BETWEEN -180 AND 180),
  name_key BLOB NOT NULL,
  retailer_key BLOB,
  category_keys BLOB,
  name TEXT NOT NULL CHECK (name <> ''),
  reward_text TEXT,
  retailer TEXT,
  categories TEXT CHECK (categories IS NULL OR json_valid(categories)),
  image_url TEXT,
  url TEXT,
  description TEXT,
  terms TEXT,
  attributes TEXT CHECK (attributes IS NULL OR json_valid(attributes)),
  UNIQUE (feed_key, id),
  CHECK ((reward_minor_units IS NULL) = (reward_currency IS NULL)),
  CHECK (reward_minor_units IS NULL OR reward_percent_hundredths IS NULL)
) STRICT;

CREATE INDEX offer_by_gone ON offer (gone_at) WHERE gone_at IS NOT NULL;
CREATE INDEX offer_by_found ON offer (feed_key, found_at) WHERE found_at IS NOT NULL;
CREATE INDEX offer_by_expiry ON offer (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE missing_offer (
  offer_key INTEGER PRIMARY KEY REFERENCES offer ON DELETE CASCADE,
  feed_key INTEGER NOT NULL REFERENCES feed,
  since INTEGER
) STRICT;

CREATE INDEX missing_offer_by_feed ON missing_offer (feed_key);
