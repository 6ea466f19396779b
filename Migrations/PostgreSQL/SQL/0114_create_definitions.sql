CREATE TABLE feed_definition (
  feed TEXT COLLATE "C" PRIMARY KEY CHECK (feed ~ '^[a-z0-9-]+$'),
  text TEXT CHECK (text <> ''),
  every_seconds BIGINT CHECK (every_seconds > 0),
  currency TEXT CHECK (length(currency) = 3)
);
