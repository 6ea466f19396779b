CREATE TABLE account (
  user_key BIGINT PRIMARY KEY,
  name TEXT NOT NULL CHECK (char_length(name) BETWEEN 1 AND 64),
  folded_name TEXT COLLATE "C" NOT NULL UNIQUE CHECK (folded_name <> ''),
  role TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'admin')),
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT,
  CHECK (user_key <> 1 OR role = 'admin')
);

INSERT INTO account (user_key, name, folded_name, role, created_at)
VALUES (1, 'owner', 'owner', 'admin', floor(extract(epoch FROM clock_timestamp()))::bigint);

CREATE TABLE account_order (
  order_key BIGINT PRIMARY KEY CHECK (order_key = 1),
  last_user_key BIGINT NOT NULL
);

INSERT INTO account_order (order_key, last_user_key) VALUES (1, 1);

CREATE TABLE favorite (
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  feed TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  shared_at BIGINT,
  PRIMARY KEY (user_key, feed, id)
);

CREATE INDEX favorite_by_offer ON favorite (feed, id);
CREATE INDEX favorite_by_sharing ON favorite (feed, id, shared_at) WHERE shared_at IS NOT NULL;

CREATE TABLE reader (
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  name TEXT COLLATE "C" NOT NULL CHECK (name <> ''),
  change_id BIGINT NOT NULL,
  read_at BIGINT NOT NULL,
  PRIMARY KEY (user_key, name)
);

CREATE TABLE notice (
  user_key BIGINT NOT NULL REFERENCES account ON DELETE CASCADE,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind <> ''),
  feed TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  about BIGINT NOT NULL,
  told_at BIGINT NOT NULL,
  PRIMARY KEY (user_key, kind, feed, id, about)
);
