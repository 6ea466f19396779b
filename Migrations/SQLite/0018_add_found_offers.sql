-- Offers that a search on a feed's server found, and that the feed's own document does not have.
-- They are searched, but are in no list and in no count, unless they are favorites.

CREATE TABLE found_offer (
  offer_key INTEGER PRIMARY KEY REFERENCES offer ON DELETE CASCADE,
  feed_key INTEGER NOT NULL REFERENCES feed,
  -- When a search last found the offer.
  found_at INTEGER NOT NULL,
  -- Whether the offer is listed, because it is a favorite. Its gone_at is NULL then; the gone_at of
  -- the others is the time of their search, from which on pruning counts their age.
  is_listed INTEGER NOT NULL CHECK (is_listed IN (0, 1))
) STRICT;

CREATE INDEX found_offer_by_feed ON found_offer (feed_key, is_listed, found_at);

-- Older versions stored the finds of a search among the feed's offers. The address of a search has the
-- placeholder {query}. An offer counts as the feed's own if a run other than a search changed it or
-- brought it back. Offers that are gone now are not moved, because the feed may have listed them. Each
-- statement begins
-- with a row that exists only if there was a search: otherwise no change is read, because the table
-- may be damaged.
INSERT INTO found_offer (offer_key, feed_key, found_at, is_listed)
SELECT offer.offer_key, offer.feed_key, max(run.started_at),
  EXISTS (SELECT 1 FROM favorite WHERE favorite.feed = feed.name AND favorite.id = offer.id)
FROM (SELECT 1 FROM sync_run WHERE instr(source, '{query}') > 0 LIMIT 1)
CROSS JOIN change
CROSS JOIN sync_run AS run ON run.run_id = change.run_id
LEFT JOIN new_offers ON new_offers.change_id = change.change_id
CROSS JOIN offer ON offer.offer_key > change.offer_key - coalesce(new_offers.offer_count, 1)
  AND offer.offer_key <= change.offer_key AND offer.feed_key = run.feed_key
CROSS JOIN feed ON feed.feed_key = offer.feed_key
WHERE change.kind = 'new' AND instr(run.source, '{query}') > 0 AND offer.gone_at IS NULL
  AND NOT EXISTS (
    SELECT 1 FROM change AS proof CROSS JOIN sync_run AS own_run ON own_run.run_id = proof.run_id
    WHERE proof.offer_key = offer.offer_key AND proof.kind <> 'new' AND proof.kind <> 'gone'
      AND instr(own_run.source, '{query}') = 0)
GROUP BY offer.offer_key;

UPDATE offer SET gone_at = (
  SELECT CASE WHEN is_listed = 0 THEN found_at END FROM found_offer
  WHERE found_offer.offer_key = offer.offer_key)
WHERE offer_key IN (SELECT offer_key FROM found_offer);

-- Their changes are forgotten, with each entry of new offers that has one of them. The number of the
-- newest change must not be given to another one, so that one stays, without an offer.
CREATE TEMP TABLE forgotten AS
SELECT change.change_id
FROM (SELECT 1 FROM found_offer LIMIT 1)
CROSS JOIN change
CROSS JOIN sync_run AS run ON run.run_id = change.run_id
LEFT JOIN new_offers ON new_offers.change_id = change.change_id
WHERE change.kind = 'new' AND instr(run.source, '{query}') > 0 AND EXISTS (
    SELECT 1 FROM found_offer
    WHERE found_offer.offer_key > change.offer_key - coalesce(new_offers.offer_count, 1)
      AND found_offer.offer_key <= change.offer_key)
  OR change.kind <> 'new' AND change.offer_key IN (SELECT offer_key FROM found_offer);
DELETE FROM new_offers WHERE change_id IN (SELECT change_id FROM temp.forgotten);
UPDATE change SET offer_key = 0
WHERE change_id IN (SELECT max(change_id) FROM temp.forgotten)
  AND NOT EXISTS (SELECT 1 FROM change AS later WHERE later.change_id > change.change_id);
DELETE FROM change WHERE change_id IN (SELECT change_id FROM temp.forgotten) AND offer_key <> 0;
DROP TABLE temp.forgotten;

-- The next sync reads the documents of these feeds again, and lists those offers that they have.
UPDATE feed SET
  current_count = (
    SELECT count(*) FROM offer WHERE offer.feed_key = feed.feed_key AND offer.gone_at IS NULL),
  document_hash = NULL, document_head_hash = NULL, document_bytes = NULL
WHERE feed_key IN (SELECT feed_key FROM found_offer);
UPDATE feed_fetch SET
  etag = NULL, last_modified = NULL, validated_mark = NULL, validated_rules = NULL
WHERE feed_key IN (SELECT feed_key FROM found_offer);
