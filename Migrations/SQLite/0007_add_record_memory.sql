-- Hashes of the records of a feed's last document, so that a sync recognizes an unchanged record by
-- its bytes, without parsing it. The rows may be deleted at any time: the next sync then parses
-- every record.

CREATE TABLE record_memory (
  feed_key INTEGER NOT NULL REFERENCES feed,
  -- Counted from 0.
  piece INTEGER NOT NULL CHECK (piece >= 0),
  -- 24 bytes a record; see RecordMemory.
  records BLOB NOT NULL CHECK (length(records) % 24 = 0),
  PRIMARY KEY (feed_key, piece)
) STRICT;
