CREATE TABLE store_identity (
  store_key INTEGER PRIMARY KEY CHECK (store_key = 1),
  identity TEXT NOT NULL CHECK (identity <> '')
) STRICT;

INSERT INTO store_identity (store_key, identity) VALUES (1, lower(hex(randomblob(16))));

CREATE TABLE feed_address (
  address_key INTEGER PRIMARY KEY AUTOINCREMENT,
  user_key INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
  subject TEXT NOT NULL CHECK (subject <> ''),
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;

CREATE INDEX feed_address_by_user ON feed_address (user_key, address_key);
