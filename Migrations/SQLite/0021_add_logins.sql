-- How users log in to the server: by passphrases, API tokens and sessions of their own.

CREATE TABLE passphrase (
  user_key INTEGER PRIMARY KEY REFERENCES user ON DELETE CASCADE,
  -- The parameters of scrypt (RFC 7914) and its output for the passphrase, which is not stored.
  salt BLOB NOT NULL CHECK (length(salt) = 16),
  rounds INTEGER NOT NULL CHECK (rounds > 1),
  block_size INTEGER NOT NULL CHECK (block_size > 0),
  parallelism INTEGER NOT NULL CHECK (parallelism > 0),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  set_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_token (
  -- Never given again, so that nothing that names a revoked token names a later one.
  token_key INTEGER PRIMARY KEY AUTOINCREMENT,
  user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
  -- The SHA-256 of the token, which is not stored.
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  scope TEXT NOT NULL CHECK (scope IN ('read', 'favorites', 'sync', 'admin')),
  created_at INTEGER NOT NULL,
  -- NULL for a token that does not expire.
  expires_at INTEGER,
  last_used_at INTEGER,
  UNIQUE (user_key, name)
) STRICT;

CREATE TRIGGER api_token_holds_100 BEFORE INSERT ON api_token
WHEN (SELECT count(*) FROM api_token WHERE user_key = NEW.user_key) >= 100
BEGIN
  SELECT RAISE(ABORT, 'a user has at most 100 API tokens');
END;

-- Older versions knew the owner only.
CREATE TEMP TABLE kept_session AS
SELECT session_id, fingerprint, created_at, last_seen_at, peer, user_agent FROM session;
DROP TABLE session;
CREATE TABLE session (
  -- The SHA-256 of the cookie's value, which is not stored.
  session_id BLOB PRIMARY KEY NOT NULL CHECK (length(session_id) = 32),
  user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
  -- For a session that began with the token of the server's token file: a code of session_id with
  -- that token as its key. The session is valid with that token only.
  fingerprint BLOB CHECK (length(fingerprint) = 32),
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  -- The address of the client that logged in.
  peer TEXT NOT NULL CHECK (length(peer) <= 64),
  user_agent TEXT NOT NULL CHECK (length(user_agent) <= 200)
) STRICT, WITHOUT ROWID;

INSERT INTO session
  (session_id, user_key, fingerprint, created_at, last_seen_at, peer, user_agent)
SELECT session_id, 1, fingerprint, created_at, last_seen_at, peer, user_agent FROM kept_session
ORDER BY last_seen_at DESC, session_id LIMIT 100;
DROP TABLE temp.kept_session;

CREATE INDEX session_by_user ON session (user_key, last_seen_at);

-- A limit for each user: nobody ends the sessions of others by logging in often.
CREATE TRIGGER session_holds_100_of_a_user AFTER INSERT ON session
WHEN (SELECT count(*) FROM session WHERE user_key = NEW.user_key) > 100
BEGIN
  DELETE FROM session WHERE session_id IN (
    SELECT session_id FROM session
    WHERE user_key = NEW.user_key AND session_id <> NEW.session_id
    ORDER BY last_seen_at, session_id
    LIMIT (SELECT count(*) - 100 FROM session WHERE user_key = NEW.user_key)
  );
END;

-- The attempts for an account, or by a session, are counted as well: `network` has a text with a
-- space for these. Attempts from many networks must not displace the attempts for an account.
DROP TRIGGER login_attempt_holds_10000;
CREATE TRIGGER login_attempt_holds_10000 AFTER INSERT ON login_attempt
WHEN (SELECT count(*) FROM login_attempt) > 10000
BEGIN
  DELETE FROM login_attempt WHERE network IN (
    SELECT network FROM login_attempt
    WHERE network NOT IN (NEW.network, 'overall') AND network NOT GLOB 'account *'
    ORDER BY last_failure_at, network LIMIT (SELECT count(*) - 10000 FROM login_attempt)
  );
END;
