-- A feed is due when its interval has passed since its last run. feed_fetch.next_due_at is now
-- stored only if the feed's server asked for a later time, or after a failure. If every sync stored
-- it, it would outlive a changed interval.
UPDATE feed_fetch SET next_due_at = NULL WHERE failure_count = 0;
