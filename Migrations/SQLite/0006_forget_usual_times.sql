-- A feed is due when its interval has passed. Its own time is kept only if its server asked for a
-- later one, or after a failure. A time that was stored by every sync would outlive a changed
-- interval.
UPDATE feed_fetch SET next_due_at = NULL WHERE failure_count = 0;
