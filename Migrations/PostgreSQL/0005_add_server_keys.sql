-- The random keys with which servers protect what they hand to browsers.

CREATE TABLE server_key (
  -- Such as 'pending login'.
  purpose TEXT COLLATE "C" PRIMARY KEY CHECK (length(purpose) BETWEEN 1 AND 64),
  bytes BYTEA NOT NULL CHECK (length(bytes) = 32)
);
