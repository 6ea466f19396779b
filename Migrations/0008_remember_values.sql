-- A record is known again by its values, too, where it is written in another way: each has a hash
-- more. What was remembered before is made anew by the next sync.

DROP TABLE record_memory;

CREATE TABLE record_memory (
  feed_key INTEGER NOT NULL REFERENCES feed,
  -- Counted from 0.
  piece INTEGER NOT NULL CHECK (piece >= 0),
  -- 32 bytes a record; see RememberedRecord.
  records BLOB NOT NULL CHECK (length(records) % 32 = 0),
  PRIMARY KEY (feed_key, piece)
) STRICT;
