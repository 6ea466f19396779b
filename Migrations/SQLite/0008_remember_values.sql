-- Hashes of the values of remembered records, to recognize an unchanged record in another notation.
-- In a table of its own, so that the existing one is not changed. The rows may be deleted at any
-- time.

CREATE TABLE record_memory_values (
  feed_key INTEGER NOT NULL REFERENCES feed,
  -- That of record_memory.
  piece INTEGER NOT NULL CHECK (piece >= 0),
  -- 8 bytes a record of the piece; see RememberedRecord.
  hashes BLOB NOT NULL CHECK (length(hashes) % 8 = 0),
  PRIMARY KEY (feed_key, piece)
) STRICT;
