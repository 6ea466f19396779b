-- The browsers that are logged in to the server, and the failed attempts to log in.

CREATE TABLE session (
  -- The SHA-256 of the cookie's value, which is not stored.
  session_id BLOB PRIMARY KEY NOT NULL CHECK (length(session_id) = 32),
  -- A code of session_id with the access token as its key: the session is valid with that token
  -- only, and without the token no row can be made that counts.
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  -- The address of the client that logged in.
  peer TEXT NOT NULL CHECK (length(peer) <= 64),
  user_agent TEXT NOT NULL CHECK (length(user_agent) <= 200)
) STRICT, WITHOUT ROWID;

CREATE INDEX session_by_last_seen ON session (last_seen_at);

CREATE TRIGGER session_holds_1000 AFTER INSERT ON session
WHEN (SELECT count(*) FROM session) > 1000
BEGIN
  DELETE FROM session WHERE session_id IN (
    SELECT session_id FROM session WHERE session_id <> NEW.session_id
    ORDER BY last_seen_at, session_id LIMIT (SELECT count(*) - 1000 FROM session)
  );
END;

CREATE TABLE login_attempt (
  -- An IPv4 address, an IPv6 network of 64 bits, or 'overall' for all together.
  network TEXT PRIMARY KEY NOT NULL CHECK (length(network) BETWEEN 1 AND 64),
  failure_count INTEGER NOT NULL CHECK (failure_count > 0),
  last_failure_at INTEGER NOT NULL,
  -- Until when attempts are refused without being counted.
  wait_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX login_attempt_by_last_failure ON login_attempt (last_failure_at);

CREATE TRIGGER login_attempt_holds_10000 AFTER INSERT ON login_attempt
WHEN (SELECT count(*) FROM login_attempt) > 10000
BEGIN
  DELETE FROM login_attempt WHERE network IN (
    SELECT network FROM login_attempt WHERE network NOT IN (NEW.network, 'overall')
    ORDER BY last_failure_at, network LIMIT (SELECT count(*) - 10000 FROM login_attempt)
  );
END;
