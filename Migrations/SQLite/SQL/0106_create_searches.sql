CREATE TABLE recent_search (
  user_key INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
  search_order INTEGER NOT NULL,
  expression TEXT NOT NULL CHECK (expression <> ''),
  feed TEXT NOT NULL,
  words TEXT NOT NULL CHECK (words <> ''),
  searched_at INTEGER NOT NULL,
  PRIMARY KEY (user_key, search_order)
) STRICT, WITHOUT ROWID;
