-- Hashes of the ids and contents of a large feed's offers, so that a sync need not read all offers
-- to compare them. The rows may be deleted at any time: the next sync then reads the offers.

CREATE TABLE known_offers (
  feed_key INTEGER PRIMARY KEY REFERENCES feed,
  -- Offers behind this key are not in it.
  last_key INTEGER NOT NULL,
  -- That of the ids' hashes.
  id_seed INTEGER NOT NULL
) STRICT;

-- The hashes of offers with consecutive keys, in one row.
CREATE TABLE known_offers_piece (
  feed_key INTEGER NOT NULL REFERENCES feed,
  first_key INTEGER NOT NULL,
  offers BLOB NOT NULL,
  PRIMARY KEY (feed_key, first_key)
) STRICT;

-- Offers that were changed or removed since their hashes were stored.
CREATE TABLE known_offers_doubt (
  feed_key INTEGER NOT NULL,
  offer_key INTEGER NOT NULL,
  PRIMARY KEY (feed_key, offer_key)
) STRICT, WITHOUT ROWID;

-- The triggers record each offer once by a condition, not by OR IGNORE, because the conflict clause
-- of the outer statement would override it.
CREATE TRIGGER offer_is_otherwise
AFTER UPDATE OF offer_key, feed_key, id, content_hash, gone_at ON offer
WHEN old.offer_key <= (SELECT last_key FROM known_offers WHERE feed_key = old.feed_key)
  AND NOT EXISTS (
    SELECT 1 FROM known_offers_doubt WHERE feed_key = old.feed_key AND offer_key = old.offer_key)
BEGIN
  INSERT INTO known_offers_doubt VALUES (old.feed_key, old.offer_key);
END;

CREATE TRIGGER offer_is_removed
AFTER DELETE ON offer
WHEN old.offer_key <= (SELECT last_key FROM known_offers WHERE feed_key = old.feed_key)
  AND NOT EXISTS (
    SELECT 1 FROM known_offers_doubt WHERE feed_key = old.feed_key AND offer_key = old.offer_key)
BEGIN
  INSERT INTO known_offers_doubt VALUES (old.feed_key, old.offer_key);
END;
