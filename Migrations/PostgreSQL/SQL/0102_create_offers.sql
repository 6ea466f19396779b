CREATE TABLE offer (
  offer_key BIGINT PRIMARY KEY,
  feed_key BIGINT NOT NULL REFERENCES feed,
  id TEXT COLLATE "C" NOT NULL CHECK (id <> ''),
  content_hash BIGINT NOT NULL,
  first_run_id BIGINT,
  first_seen_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  gone_at BIGINT,
  found_at BIGINT,
  starts_at BIGINT,
  expires_at BIGINT,
  reward_minor_units BIGINT,
  reward_currency TEXT COLLATE "C",
  reward_percent_hundredths BIGINT,
  reward_up_to BOOLEAN NOT NULL,
  latitude DOUBLE PRECISION CHECK (latitude BETWEEN -90 AND 90),
  longitude DOUBLE PRECISION CHECK (longitude BETWEEN -180 AND 180),
  name_key BYTEA NOT NULL,
  retailer_key BYTEA,
  category_keys BYTEA,
  name TEXT COLLATE "C" NOT NULL CHECK (name <> ''),
  reward_text TEXT COLLATE "C",
  retailer TEXT COLLATE "C",
  categories TEXT COLLATE "C",
  image_url TEXT COLLATE "C",
  url TEXT COLLATE "C",
  description TEXT COLLATE "C",
  terms TEXT COLLATE "C",
  attributes TEXT COLLATE "C",
  UNIQUE (feed_key, id),
  CHECK ((reward_minor_units IS NULL) = (reward_currency IS NULL)),
  CHECK (reward_minor_units IS NULL OR reward_percent_hundredths IS NULL)
);

CREATE INDEX offer_by_gone ON offer (gone_at) WHERE gone_at IS NOT NULL;
CREATE INDEX offer_by_found ON offer (feed_key, found_at) WHERE found_at IS NOT NULL;
CREATE INDEX offer_by_expiry ON offer (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE missing_offer (
  offer_key BIGINT PRIMARY KEY REFERENCES offer ON DELETE CASCADE,
  feed_key BIGINT NOT NULL REFERENCES feed,
  since BIGINT
);

CREATE INDEX missing_offer_by_feed ON missing_offer (feed_key);
