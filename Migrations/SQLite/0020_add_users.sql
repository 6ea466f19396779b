-- Users, each with favorites, recent searches, read marks and notices of their own. What an older
-- version stored belongs to the owner of the file, user 1.

CREATE TABLE user (
  -- Never given again, so that nothing that names a removed user names a later one.
  user_key INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
  -- The name without differences of case, by which users are found.
  folded_name TEXT NOT NULL UNIQUE CHECK (folded_name <> ''),
  role TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'admin')),
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER,
  CHECK (user_key <> 1 OR role = 'admin')
) STRICT;

INSERT INTO user (user_key, name, folded_name, role, created_at)
VALUES (1, 'owner', 'owner', 'admin', CAST(strftime('%s', 'now') AS INTEGER));

-- The tables are created anew under their names, because renaming a table fails if a view or trigger
-- of another program is invalid.
CREATE TEMP TABLE kept_favorite AS SELECT feed, id, created_at FROM favorite;
DROP TABLE favorite;
-- There is no foreign key to offers and feeds, because a favorite outlives its offer and its feed.
CREATE TABLE favorite (
  user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
  feed TEXT NOT NULL,
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_key, feed, id)
) STRICT, WITHOUT ROWID;

INSERT INTO favorite (user_key, feed, id, created_at)
SELECT 1, feed, id, created_at FROM kept_favorite ORDER BY feed, id;
DROP TABLE temp.kept_favorite;
-- Whether anybody has an offer among the favorites.
CREATE INDEX favorite_by_offer ON favorite (feed, id);

CREATE TEMP TABLE kept_search AS
SELECT search_order, expression, feed, words, searched_at FROM recent_search;
DROP TABLE recent_search;
CREATE TABLE recent_search (
  -- Counts up: the latest search has the highest.
  search_order INTEGER PRIMARY KEY,
  user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
  -- The FTS5 query of the words, by which two spellings of one search are recognized.
  expression TEXT NOT NULL CHECK (expression <> ''),
  -- The feed that was searched, '' for all.
  feed TEXT NOT NULL,
  -- As they were typed.
  words TEXT NOT NULL CHECK (words <> ''),
  searched_at INTEGER NOT NULL,
  UNIQUE (user_key, expression, feed)
) STRICT;

INSERT INTO recent_search (search_order, user_key, expression, feed, words, searched_at)
SELECT search_order, 1, expression, feed, words, searched_at FROM kept_search ORDER BY search_order;
DROP TABLE temp.kept_search;

CREATE TRIGGER recent_search_holds_10 AFTER INSERT ON recent_search
BEGIN
  DELETE FROM recent_search WHERE user_key = NEW.user_key AND search_order <= (
    SELECT search_order FROM recent_search WHERE user_key = NEW.user_key
    ORDER BY search_order DESC LIMIT 1 OFFSET 10
  );
END;

CREATE TEMP TABLE kept_reader AS SELECT name, change_id, read_at FROM reader;
DROP TABLE reader;
CREATE TABLE reader (
  user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  change_id INTEGER NOT NULL,
  read_at INTEGER NOT NULL,
  PRIMARY KEY (user_key, name)
) STRICT, WITHOUT ROWID;

INSERT INTO reader (user_key, name, change_id, read_at)
SELECT 1, name, change_id, read_at FROM kept_reader ORDER BY name;
DROP TABLE temp.kept_reader;

CREATE TEMP TABLE kept_notice AS SELECT kind, feed, id, about, told_at FROM notice;
DROP TABLE notice;
-- The delivered notices about facts that are no changes: that an offer expires, or that a feed
-- keeps failing. They count for all readers of a user.
CREATE TABLE notice (
  user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind <> ''),
  feed TEXT NOT NULL,
  -- The offer's id, or '' for the feed itself.
  id TEXT NOT NULL,
  -- When it expires, or since when it fails.
  about INTEGER NOT NULL,
  told_at INTEGER NOT NULL,
  PRIMARY KEY (user_key, kind, feed, id, about)
) STRICT, WITHOUT ROWID;

INSERT INTO notice (user_key, kind, feed, id, about, told_at)
SELECT 1, kind, feed, id, about, told_at FROM kept_notice ORDER BY kind, feed, id, about;
DROP TABLE temp.kept_notice;
