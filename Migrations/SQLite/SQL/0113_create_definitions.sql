CREATE TABLE feed_definition (
  feed TEXT NOT NULL PRIMARY KEY CHECK (feed <> '' AND feed NOT GLOB '*[^a-z0-9-]*'),
  text TEXT CHECK (text <> ''),
  every_seconds INTEGER CHECK (every_seconds > 0),
  currency TEXT CHECK (length(currency) = 3)
) STRICT;
