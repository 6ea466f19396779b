-- The new offers of a sync have keys that follow one another, and so have their changes numbers. One
-- row of change tells of them all: of as many as are counted here, up to its own key and number. In
-- a table of its own, so that the one there, which may be damaged, need not be read.

CREATE TABLE new_offers (
  change_id INTEGER PRIMARY KEY REFERENCES change,
  offer_count INTEGER NOT NULL CHECK (offer_count > 1 AND offer_count <= change_id)
) STRICT;
