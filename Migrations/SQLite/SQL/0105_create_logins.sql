CREATE TABLE passphrase (
  user_key INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  salt BLOB NOT NULL CHECK (length(salt) = 16),
  rounds INTEGER NOT NULL CHECK (rounds > 1),
  block_size INTEGER NOT NULL CHECK (block_size > 0),
  parallelism INTEGER NOT NULL CHECK (parallelism > 0),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  set_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_token (
  token_key INTEGER PRIMARY KEY AUTOINCREMENT,
  user_key INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  scope TEXT NOT NULL CHECK (scope IN ('read', 'favorites', 'sync', 'admin')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  UNIQUE (user_key, name)
) STRICT;

CREATE TABLE session (
  session_id BLOB PRIMARY KEY NOT NULL CHECK (length(session_id) = 32),
  user_key INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
  fingerprint BLOB CHECK (length(fingerprint) = 32),
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  peer TEXT NOT NULL CHECK (length(peer) <= 64),
  user_agent TEXT NOT NULL CHECK (length(user_agent) <= 200)
) STRICT, WITHOUT ROWID;

CREATE INDEX session_by_user ON session (user_key, last_seen_at);

CREATE TABLE login_attempt (
  network TEXT PRIMARY KEY NOT NULL CHECK (length(network) BETWEEN 1 AND 64),
  failure_count INTEGER NOT NULL CHECK (failure_count > 0),
  last_failure_at INTEGER NOT NULL,
  wait_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX login_attempt_by_last_failure ON login_attempt (last_failure_at);

CREATE TABLE identity (
  user_key INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
  issuer TEXT NOT NULL CHECK (length(issuer) BETWEEN 1 AND 1024),
  subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
  added_at INTEGER NOT NULL,
  PRIMARY KEY (user_key, issuer),
  UNIQUE (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE server_key (
  purpose TEXT PRIMARY KEY NOT NULL CHECK (length(purpose) BETWEEN 1 AND 64),
  bytes BLOB NOT NULL CHECK (length(bytes) = 32)
) STRICT, WITHOUT ROWID;
