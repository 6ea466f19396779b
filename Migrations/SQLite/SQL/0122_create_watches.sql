CREATE TABLE watch (
  watch_key INTEGER PRIMARY KEY AUTOINCREMENT,
  user_key INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
  name TEXT CHECK (name <> ''),
  selection TEXT NOT NULL,
  first_words TEXT CHECK (first_words <> ''),
  rule TEXT NOT NULL CHECK (rule <> ''),
  repeats TEXT NOT NULL CHECK (repeats IN ('default', 'never', 'daily', 'each')),
  is_urgent INTEGER NOT NULL CHECK (is_urgent IN (0, 1)),
  is_timed INTEGER NOT NULL CHECK (is_timed IN (0, 1)),
  created_at INTEGER NOT NULL,
  paused_at INTEGER
) STRICT;

CREATE INDEX watch_by_user ON watch (user_key, watch_key);

CREATE TABLE watch_state (
  offer_key INTEGER NOT NULL,
  watch_key INTEGER NOT NULL REFERENCES watch ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state <> ''),
  remind_at INTEGER,
  PRIMARY KEY (offer_key, watch_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX watch_state_by_watch ON watch_state (watch_key);
CREATE INDEX watch_state_by_reminder ON watch_state (remind_at) WHERE remind_at IS NOT NULL;
