-- A mark of offers that have slid out of a window. The table is made anew: ADD COLUMN would leave a statement
-- that no migration has.
ALTER TABLE missing_offer RENAME TO missing_offer_before;

CREATE TABLE missing_offer (
  offer_key INTEGER PRIMARY KEY REFERENCES offer ON DELETE CASCADE,
  feed_key INTEGER NOT NULL REFERENCES feed,
  since INTEGER,
  is_older INTEGER NOT NULL DEFAULT 0 CHECK (is_older IN (0, 1))
) STRICT;

INSERT INTO missing_offer (offer_key, feed_key, since)
SELECT offer_key, feed_key, since FROM missing_offer_before;

DROP TABLE missing_offer_before;

CREATE INDEX missing_offer_by_feed ON missing_offer (feed_key);

CREATE INDEX missing_offer_by_age ON missing_offer (since) WHERE is_older;
