-- Hashes of the values of the records in record_memory, so that a sync recognizes an unchanged
-- record that is written in another notation. They are in a table of their own, so that
-- record_memory is not altered. The rows may be deleted at any time.

CREATE TABLE record_memory_values (
  feed_key INTEGER NOT NULL REFERENCES feed,
  -- That of record_memory.
  piece INTEGER NOT NULL CHECK (piece >= 0),
  -- 8 bytes a record of the piece; see RememberedRecord.
  hashes BLOB NOT NULL CHECK (length(hashes) % 8 = 0),
  PRIMARY KEY (feed_key, piece)
) STRICT;
