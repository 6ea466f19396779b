-- Fields of offers that only some feeds provide, and details of feeds. They are in tables of their
-- own, because most offers have no row here, and because a new table makes a new database cheaper
-- to create than columns that are added to an old table.

CREATE TABLE offer_detail (
  offer_key INTEGER PRIMARY KEY REFERENCES offer,
  -- Who sells it.
  retailer TEXT,
  -- A list of texts.
  categories TEXT CHECK (categories IS NULL OR json_valid(categories)),
  starts_at INTEGER,
  expires_at INTEGER,
  -- Degrees.
  latitude REAL CHECK (latitude IS NULL OR (latitude >= -90 AND latitude <= 90)),
  longitude REAL CHECK (longitude IS NULL OR (longitude >= -180 AND longitude <= 180)),
  -- Labelled extras in order: [["Artist","…"],…].
  attributes TEXT CHECK (attributes IS NULL OR json_valid(attributes))
) STRICT;

CREATE TABLE feed_detail (
  feed_key INTEGER PRIMARY KEY REFERENCES feed,
  -- The name for people, as the definition or the document gives it.
  title TEXT,
  -- Labelled texts that every offer of the feed shows, as in attributes.
  shared TEXT CHECK (shared IS NULL OR json_valid(shared)),
  -- The source that a person named instead of the definition's own; NULL for that one.
  chosen_source TEXT CHECK (chosen_source <> ''),
  -- When a person gave the feed up; its offers and favorites stay.
  unsubscribed_at INTEGER
) STRICT;

INSERT INTO feed_detail (feed_key, chosen_source)
SELECT feed_key, nullif(source, 'sample') FROM feed;
