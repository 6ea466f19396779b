CREATE TABLE hiding (
  hiding_key INTEGER PRIMARY KEY AUTOINCREMENT,
  user_key INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
  selection TEXT NOT NULL,
  feed TEXT NOT NULL,
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (user_key, selection, feed, id),
  CHECK ((selection = '') = (feed <> '') AND (feed = '') = (id = ''))
) STRICT;
