-- What the values of remembered records were, to know one again that is written in another way. In a
-- table of its own, so that the one there is need not be touched. It may be deleted at any time, too.

CREATE TABLE record_memory_values (
  feed_key INTEGER NOT NULL REFERENCES feed,
  -- That of record_memory.
  piece INTEGER NOT NULL CHECK (piece >= 0),
  -- 8 bytes a record of the piece; see RememberedRecord.
  hashes BLOB NOT NULL CHECK (length(hashes) % 8 = 0),
  PRIMARY KEY (feed_key, piece)
) STRICT;
