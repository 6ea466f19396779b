-- Recent searches are numbered for each user. The program, instead of triggers, keeps the last 10.

-- The table is created anew, so that its statement is the whole one of this file, with which the
-- schema of a database is compared (ForeignSchema).
CREATE TEMP TABLE kept_search AS
SELECT user_key, search_order, expression, feed, words, searched_at FROM recent_search;
DROP TABLE recent_search;
CREATE TABLE recent_search (
  user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
  -- Counts up for each user: the latest search has the highest.
  search_order INTEGER NOT NULL,
  -- By which two spellings of one search are recognized. Those of older versions differ: such a search may
  -- stand twice, until it is pushed out.
  expression TEXT NOT NULL CHECK (expression <> ''),
  -- The feed that was searched, '' for all.
  feed TEXT NOT NULL,
  -- As they were typed.
  words TEXT NOT NULL CHECK (words <> ''),
  searched_at INTEGER NOT NULL,
  PRIMARY KEY (user_key, search_order)
) STRICT, WITHOUT ROWID;

INSERT INTO recent_search (user_key, search_order, expression, feed, words, searched_at)
SELECT user_key, search_order, expression, feed, words, searched_at FROM kept_search
ORDER BY user_key, search_order;
DROP TABLE temp.kept_search;

-- The program keeps these limits, too.
DROP TRIGGER IF EXISTS session_holds_100_of_a_user;
DROP TRIGGER IF EXISTS login_attempt_holds_10000;
