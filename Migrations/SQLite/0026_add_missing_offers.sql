-- Current offers that the last document of their feed lacks. They stay in every list until a later
-- document confirms that they are gone.

CREATE TABLE missing_offer (
  offer_key INTEGER PRIMARY KEY REFERENCES offer ON DELETE CASCADE,
  feed_key INTEGER NOT NULL REFERENCES feed,
  -- When a sync first missed the offer; NULL if a person decided to keep it.
  since INTEGER
) STRICT;

CREATE INDEX missing_offer_by_feed ON missing_offer (feed_key);

-- held_count is the number of the feed's missing offers, whose removal is held back. held_new_count is
-- the number of offers of a document that is held back as a whole. held_until is the time at which the
-- missing offers are removed; NULL if only a person can decide that.
ALTER TABLE feed_fetch ADD COLUMN held_new_count INTEGER NOT NULL DEFAULT 0
  CHECK (held_new_count >= 0);
ALTER TABLE feed_fetch ADD COLUMN held_until INTEGER;

-- Older versions counted syncs, and did not store the missing offers. The next sync reads the documents
-- of these feeds again.
UPDATE feed_fetch SET
  held_count = 0, held_since = NULL,
  etag = NULL, last_modified = NULL, validated_mark = NULL, validated_rules = NULL
WHERE held_count > 0;
