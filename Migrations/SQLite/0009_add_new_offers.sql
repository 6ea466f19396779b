-- The new offers of a sync have consecutive keys, and their changes have consecutive numbers. So
-- one row of `change` can stand for several offers (ChangeSpan): offer_count of them, the last of
-- which has the row's own key and number. Without a row here it stands for one offer. This is a
-- table of its own because a column added to `change` would require all its rows to be read, and a
-- damaged database could not be opened any more.

CREATE TABLE new_offers (
  change_id INTEGER PRIMARY KEY REFERENCES change,
  offer_count INTEGER NOT NULL CHECK (offer_count > 1 AND offer_count <= change_id)
) STRICT;
