-- The random keys with which servers protect what they hand to browsers.

CREATE TABLE server_key (
  -- Such as 'pending login'.
  purpose TEXT PRIMARY KEY NOT NULL CHECK (length(purpose) BETWEEN 1 AND 64),
  bytes BLOB NOT NULL CHECK (length(bytes) = 32)
) STRICT, WITHOUT ROWID;
