-- A mark of offers that have slid out of a window. The table is made anew, and each offer that was missing
-- counts as missing from the next document on: ADD COLUMN would leave a statement that no migration has.
DROP TABLE missing_offer;

CREATE TABLE missing_offer (
  offer_key INTEGER PRIMARY KEY REFERENCES offer ON DELETE CASCADE,
  feed_key INTEGER NOT NULL REFERENCES feed,
  since INTEGER,
  is_older INTEGER NOT NULL DEFAULT 0 CHECK (is_older IN (0, 1))
) STRICT;

CREATE INDEX missing_offer_by_feed ON missing_offer (feed_key);

CREATE INDEX missing_offer_by_age ON missing_offer (since) WHERE is_older;
