-- The new offers of a sync have keys that follow one another, and so have their changes numbers. One
-- row of change tells of them all: of as many as are counted here, up to its own key and number; of
-- one without a count, of one offer. A table of its own: a column added to change would have all its
-- rows read, and a damaged database could not be opened any more.

CREATE TABLE new_offers (
  change_id INTEGER PRIMARY KEY REFERENCES change,
  offer_count INTEGER NOT NULL CHECK (offer_count > 1 AND offer_count <= change_id)
) STRICT;
