-- Users, each with favorites, recent searches, read marks and notices of their own, and how they log
-- in.

-- "user" is a word of SQL.
CREATE TABLE account (
  -- Never given again, so that nothing that names a removed user names a later one.
  user_key BIGINT PRIMARY KEY,
  name TEXT NOT NULL CHECK (char_length(name) BETWEEN 1 AND 64),
  -- The name without differences of case, by which users are found.
  folded_name TEXT COLLATE "C" NOT NULL UNIQUE CHECK (folded_name <> ''),
  role TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'admin')),
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT,
  CHECK (user_key <> 1 OR role = 'admin')
);
INSERT INTO account (user_key, name, folded_name, role, created_at)
VALUES (1, 'owner', 'owner', 'admin', floor(extract(epoch FROM clock_timestamp())));

-- The last number of a user, in a single row; its lock makes the numbers those of a single store.
CREATE TABLE account_order (
  order_key BIGINT PRIMARY KEY CHECK (order_key = 1),
  last_user_key BIGINT NOT NULL
);
INSERT INTO account_order VALUES (1, 1);

-- There is no foreign key to offers and feeds, because a favorite outlives its offer and its feed.
CREATE TABLE favorite (
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  feed TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  -- When the user shared the offer; NULL for a favorite that is not on the household list.
  shared_at BIGINT,
  PRIMARY KEY (user_key, feed, id)
);
-- Whether anybody has an offer among the favorites.
CREATE INDEX favorite_by_offer ON favorite (feed, id);
-- The household list.
CREATE INDEX favorite_by_sharing ON favorite (feed, id, shared_at) WHERE shared_at IS NOT NULL;

CREATE TABLE recent_search (
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  -- Counts up for each user: the latest search has the highest.
  search_order BIGINT NOT NULL,
  -- By which two spellings of one search are recognized.
  expression TEXT COLLATE "C" NOT NULL CHECK (expression <> ''),
  -- The feed that was searched, '' for all.
  feed TEXT COLLATE "C" NOT NULL,
  -- As they were typed.
  words TEXT COLLATE "C" NOT NULL CHECK (words <> ''),
  searched_at BIGINT NOT NULL,
  PRIMARY KEY (user_key, search_order)
);

-- How far each reader has read the changes.
CREATE TABLE reader (
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  name TEXT COLLATE "C" NOT NULL CHECK (name <> ''),
  change_id BIGINT NOT NULL,
  read_at BIGINT NOT NULL,
  PRIMARY KEY (user_key, name)
);

-- The delivered notices about facts that are no changes: that an offer expires, or that a feed keeps
-- failing. They count for all readers of a user.
CREATE TABLE notice (
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind <> ''),
  feed TEXT COLLATE "C" NOT NULL,
  -- The offer's id, or '' for the feed itself.
  id TEXT COLLATE "C" NOT NULL,
  -- When it expires, or since when it fails.
  about BIGINT NOT NULL,
  told_at BIGINT NOT NULL,
  PRIMARY KEY (user_key, kind, feed, id, about)
);

CREATE TABLE passphrase (
  user_key BIGINT PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  -- The parameters of scrypt (RFC 7914) and its output for the passphrase, which is not stored.
  salt BYTEA NOT NULL CHECK (length(salt) = 16),
  rounds BIGINT NOT NULL CHECK (rounds > 1),
  block_size BIGINT NOT NULL CHECK (block_size > 0),
  parallelism BIGINT NOT NULL CHECK (parallelism > 0),
  hash BYTEA NOT NULL CHECK (length(hash) = 32),
  set_at BIGINT NOT NULL
);

CREATE TABLE api_token (
  -- Never given again, so that nothing that names a revoked token names a later one.
  token_key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  name TEXT COLLATE "C" NOT NULL CHECK (char_length(name) BETWEEN 1 AND 64),
  -- The SHA-256 of the token, which is not stored.
  hash BYTEA NOT NULL UNIQUE CHECK (length(hash) = 32),
  scope TEXT NOT NULL CHECK (scope IN ('read', 'favorites', 'sync', 'admin')),
  created_at BIGINT NOT NULL,
  -- NULL for a token that does not expire.
  expires_at BIGINT,
  last_used_at BIGINT,
  UNIQUE (user_key, name)
);

CREATE TABLE session (
  -- The SHA-256 of the cookie's value, which is not stored.
  session_id BYTEA PRIMARY KEY CHECK (length(session_id) = 32),
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  -- For a session that began with the token of the server's token file: a code of session_id with
  -- that token as its key. The session is valid with that token only.
  fingerprint BYTEA CHECK (length(fingerprint) = 32),
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  -- The address of the client that logged in.
  peer TEXT NOT NULL CHECK (char_length(peer) <= 64),
  user_agent TEXT NOT NULL CHECK (char_length(user_agent) <= 200)
);
CREATE INDEX session_by_user ON session (user_key, last_seen_at);

CREATE TABLE login_attempt (
  -- An IPv4 address, an IPv6 network of 64 bits, 'overall' for all together, or a text with a space
  -- for an account or a session.
  network TEXT COLLATE "C" PRIMARY KEY CHECK (char_length(network) BETWEEN 1 AND 64),
  failure_count BIGINT NOT NULL CHECK (failure_count > 0),
  last_failure_at BIGINT NOT NULL,
  -- Until when attempts are refused without being counted.
  wait_until BIGINT NOT NULL
);
CREATE INDEX login_attempt_by_last_failure ON login_attempt (last_failure_at);

-- The logins of users at OpenID providers.
CREATE TABLE identity (
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  -- The URL by which the provider calls itself.
  issuer TEXT COLLATE "C" NOT NULL CHECK (char_length(issuer) BETWEEN 1 AND 1024),
  -- The provider's name of the person, which it never gives to another. Unlike that, an e-mail
  -- address or a user name may belong to somebody else later.
  subject TEXT COLLATE "C" NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 255),
  added_at BIGINT NOT NULL,
  PRIMARY KEY (user_key, issuer),
  UNIQUE (issuer, subject)
);
