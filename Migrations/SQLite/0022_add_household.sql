-- The household list: a favorite can be shared with all users.

-- The table is created anew, so that its statement is the whole one of this file, with which the
-- schema of a database is compared (ForeignSchema).
CREATE TEMP TABLE kept_favorite AS SELECT user_key, feed, id, created_at FROM favorite;
DROP TABLE favorite;
-- There is no foreign key to offers and feeds, because a favorite outlives its offer and its feed.
CREATE TABLE favorite (
  user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
  feed TEXT NOT NULL,
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- When the user shared the offer; NULL for a favorite that is not on the household list.
  shared_at INTEGER,
  PRIMARY KEY (user_key, feed, id)
) STRICT, WITHOUT ROWID;

INSERT INTO favorite (user_key, feed, id, created_at)
SELECT user_key, feed, id, created_at FROM kept_favorite ORDER BY user_key, feed, id;
DROP TABLE temp.kept_favorite;
-- Whether anybody has an offer among the favorites.
CREATE INDEX favorite_by_offer ON favorite (feed, id);
-- The household list.
CREATE INDEX favorite_by_sharing ON favorite (feed, id, shared_at) WHERE shared_at IS NOT NULL;
