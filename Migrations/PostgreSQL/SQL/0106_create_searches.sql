CREATE TABLE recent_search (
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  search_order BIGINT NOT NULL,
  expression TEXT COLLATE "C" NOT NULL CHECK (expression <> ''),
  feed TEXT COLLATE "C" NOT NULL,
  words TEXT COLLATE "C" NOT NULL CHECK (words <> ''),
  searched_at BIGINT NOT NULL,
  PRIMARY KEY (user_key, search_order)
);
