-- The first sync of each feed, which is one entry among the changes: it stands for all changes of
-- the kind 'new' of its run.

CREATE TABLE first_sync (
  run_id INTEGER PRIMARY KEY REFERENCES sync_run ON DELETE CASCADE,
  -- The last of these changes, in whose place the entry is.
  change_id INTEGER NOT NULL UNIQUE REFERENCES change ON DELETE CASCADE,
  -- How many offers the feed had.
  offer_count INTEGER NOT NULL CHECK (offer_count > 0)
) STRICT;

-- The first run of each feed that found offers and knew none, where one row has all of its new
-- offers. No other row of change is read, because the table may be damaged.
INSERT INTO first_sync (run_id, change_id, offer_count)
SELECT run.run_id, change.change_id, run.new_count
FROM new_offers
CROSS JOIN change ON change.change_id = new_offers.change_id
CROSS JOIN sync_run AS run ON run.run_id = change.run_id
WHERE new_offers.offer_count = run.new_count
  AND run.changed_count + run.back_count + run.unchanged_count = 0
  AND run.run_id IN (
    SELECT min(run_id) FROM sync_run
    WHERE new_count > 0 AND instr(source, '{query}') = 0 GROUP BY feed_key);
