CREATE TABLE passphrase (
  user_key BIGINT PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  salt BYTEA NOT NULL CHECK (length(salt) = 16),
  rounds BIGINT NOT NULL CHECK (rounds > 1),
  block_size BIGINT NOT NULL CHECK (block_size > 0),
  parallelism BIGINT NOT NULL CHECK (parallelism > 0),
  hash BYTEA NOT NULL CHECK (length(hash) = 32),
  set_at BIGINT NOT NULL
);

CREATE TABLE api_token (
  token_key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  name TEXT COLLATE "C" NOT NULL CHECK (char_length(name) BETWEEN 1 AND 64),
  hash BYTEA NOT NULL UNIQUE CHECK (length(hash) = 32),
  scope TEXT NOT NULL CHECK (scope IN ('read', 'favorites', 'sync', 'admin')),
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT,
  UNIQUE (user_key, name)
);

CREATE TABLE session (
  session_id BYTEA PRIMARY KEY CHECK (length(session_id) = 32),
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  fingerprint BYTEA CHECK (length(fingerprint) = 32),
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  peer TEXT NOT NULL CHECK (char_length(peer) <= 64),
  user_agent TEXT NOT NULL CHECK (char_length(user_agent) <= 200)
);

CREATE INDEX session_by_user ON session (user_key, last_seen_at);

CREATE TABLE login_attempt (
  network TEXT COLLATE "C" PRIMARY KEY CHECK (char_length(network) BETWEEN 1 AND 64),
  failure_count BIGINT NOT NULL CHECK (failure_count > 0),
  last_failure_at BIGINT NOT NULL,
  wait_until BIGINT NOT NULL
);

CREATE INDEX login_attempt_by_last_failure ON login_attempt (last_failure_at);

CREATE TABLE identity (
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  issuer TEXT COLLATE "C" NOT NULL CHECK (char_length(issuer) BETWEEN 1 AND 1024),
  subject TEXT COLLATE "C" NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 255),
  added_at BIGINT NOT NULL,
  PRIMARY KEY (user_key, issuer),
  UNIQUE (issuer, subject)
);

CREATE TABLE server_key (
  purpose TEXT COLLATE "C" PRIMARY KEY CHECK (char_length(purpose) BETWEEN 1 AND 64),
  bytes BYTEA NOT NULL CHECK (length(bytes) = 32)
);
