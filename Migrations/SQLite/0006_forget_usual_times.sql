-- A feed is due when its interval has passed. A time of its own is kept only where its server asked
-- for more, or after a failure: those that were kept for every sync would outlive a changed interval.
UPDATE feed_fetch SET next_due_at = NULL WHERE failure_count = 0;
