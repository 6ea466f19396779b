-- What feeds other than lists of rewards say of an offer, and what a feed says of itself.

-- Who sells it.
ALTER TABLE offer ADD COLUMN retailer TEXT;
-- A list of texts.
ALTER TABLE offer ADD COLUMN categories TEXT CHECK (categories IS NULL OR json_valid(categories));
ALTER TABLE offer ADD COLUMN starts_at INTEGER;
ALTER TABLE offer ADD COLUMN expires_at INTEGER;
-- Degrees.
ALTER TABLE offer ADD COLUMN latitude REAL CHECK (
  latitude IS NULL OR (latitude >= -90 AND latitude <= 90)
);
ALTER TABLE offer ADD COLUMN longitude REAL CHECK (
  longitude IS NULL OR (longitude >= -180 AND longitude <= 180)
);
-- Labelled extras in order: [["Artist","…"],…].
ALTER TABLE offer ADD COLUMN attributes TEXT CHECK (attributes IS NULL OR json_valid(attributes));

-- The name for people, as the definition or the document gives it.
ALTER TABLE feed ADD COLUMN title TEXT;
-- Labelled texts that every offer of the feed shows, as in attributes.
ALTER TABLE feed ADD COLUMN shared TEXT CHECK (shared IS NULL OR json_valid(shared));
-- The source that a person named instead of the definition's own; NULL for that one.
ALTER TABLE feed ADD COLUMN chosen_source TEXT CHECK (chosen_source <> '');
-- When a person gave the feed up; its offers and favorites stay.
ALTER TABLE feed ADD COLUMN unsubscribed_at INTEGER;

UPDATE feed SET chosen_source = source WHERE source <> 'sample';
