CREATE TABLE user_notice (
  notice_key INTEGER PRIMARY KEY AUTOINCREMENT,
  user_key INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
  watch_key INTEGER REFERENCES watch ON DELETE SET NULL,
  subject TEXT NOT NULL CHECK (subject <> ''),
  at INTEGER NOT NULL,
  feed TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (json_valid(reason)),
  is_urgent INTEGER NOT NULL CHECK (is_urgent IN (0, 1)),
  UNIQUE (user_key, subject)
) STRICT;

CREATE INDEX user_notice_by_watch ON user_notice (watch_key) WHERE watch_key IS NOT NULL;

CREATE TABLE channel (
  channel_key INTEGER PRIMARY KEY AUTOINCREMENT,
  user_key INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  folded_name TEXT NOT NULL CHECK (folded_name <> ''),
  settings TEXT NOT NULL CHECK (json_valid(settings)),
  quiet_hours TEXT CHECK (quiet_hours <> ''),
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  created_at INTEGER NOT NULL,
  ended_reason TEXT CHECK (ended_reason <> ''),
  failure_count INTEGER NOT NULL DEFAULT 0 CHECK (failure_count >= 0),
  failing_since INTEGER,
  next_attempt_at INTEGER,
  last_error TEXT CHECK (last_error <> ''),
  delivered_at INTEGER,
  lease_mark TEXT,
  leased_until INTEGER,
  UNIQUE (user_key, folded_name)
) STRICT;

CREATE TABLE delivery (
  channel_key INTEGER NOT NULL REFERENCES channel ON DELETE CASCADE,
  notice_key INTEGER NOT NULL REFERENCES user_notice ON DELETE CASCADE,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'lost')),
  message_id TEXT CHECK (message_id <> ''),
  begun_at INTEGER,
  ended_at INTEGER,
  PRIMARY KEY (channel_key, notice_key),
  CHECK ((state = 'waiting') = (ended_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX delivery_by_notice ON delivery (notice_key);
CREATE INDEX delivery_waiting ON delivery (channel_key, notice_key) WHERE state = 'waiting';
