CREATE TABLE account (
  user_key INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
  folded_name TEXT NOT NULL UNIQUE CHECK (folded_name <> ''),
  role TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'admin')),
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER,
  CHECK (user_key <> 1 OR role = 'admin')
) STRICT;

INSERT INTO account (user_key, name, folded_name, role, created_at)
VALUES (1, 'owner', 'owner', 'admin', CAST(strftime('%s', 'now') AS INTEGER));

CREATE TABLE account_order (
  order_key INTEGER PRIMARY KEY CHECK (order_key = 1),
  last_user_key INTEGER NOT NULL
) STRICT;

INSERT INTO account_order (order_key, last_user_key) VALUES (1, 1);

CREATE TABLE favorite (
  user_key INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
  feed TEXT NOT NULL,
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  shared_at INTEGER,
  PRIMARY KEY (user_key, feed, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX favorite_by_offer ON favorite (feed, id);
CREATE INDEX favorite_by_sharing ON favorite (feed, id, shared_at) WHERE shared_at IS NOT NULL;

CREATE TABLE reader (
  user_key INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  change_id INTEGER NOT NULL,
  read_at INTEGER NOT NULL,
  PRIMARY KEY (user_key, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE notice (
  user_key INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind <> ''),
  feed TEXT NOT NULL,
  id TEXT NOT NULL,
  about INTEGER NOT NULL,
  told_at INTEGER NOT NULL,
  PRIMARY KEY (user_key, kind, feed, id, about)
) STRICT, WITHOUT ROWID;
