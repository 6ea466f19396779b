CREATE TABLE image_tally (
  tally_key INTEGER PRIMARY KEY CHECK (tally_key = 1),
  image_limit INTEGER NOT NULL CHECK (image_limit BETWEEN 1 AND 10000),
  hit_count INTEGER NOT NULL CHECK (hit_count >= 0),
  miss_count INTEGER NOT NULL CHECK (miss_count >= 0),
  eviction_count INTEGER NOT NULL CHECK (eviction_count >= 0)
) STRICT;

INSERT INTO image_tally (tally_key, image_limit, hit_count, miss_count, eviction_count)
VALUES (1, 50, 0, 0, 0);

CREATE TABLE image_cache (
  url TEXT PRIMARY KEY NOT NULL CHECK (url <> ''),
  content_type TEXT NOT NULL CHECK (
    content_type IN ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif')),
  width INTEGER NOT NULL CHECK (width > 0),
  height INTEGER NOT NULL CHECK (height > 0),
  etag TEXT CHECK (etag <> ''),
  last_modified TEXT CHECK (last_modified <> ''),
  fetched_at INTEGER NOT NULL,
  fresh_until INTEGER NOT NULL,
  thumbnail_problem TEXT CHECK (thumbnail_problem <> ''),
  thumbnail BLOB CHECK (length(thumbnail) BETWEEN 1 AND 262144),
  bytes BLOB NOT NULL CHECK (length(bytes) BETWEEN 1 AND 5242880),
  CHECK (width * height <= 50000000),
  CHECK (thumbnail IS NULL OR thumbnail_problem IS NULL)
) STRICT;

CREATE TABLE image_use (
  url TEXT PRIMARY KEY NOT NULL REFERENCES image_cache ON UPDATE CASCADE ON DELETE CASCADE,
  use_order INTEGER NOT NULL CHECK (use_order > 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE image_failure (
  url TEXT PRIMARY KEY NOT NULL CHECK (url <> ''),
  code TEXT NOT NULL CHECK (code <> ''),
  reason TEXT NOT NULL CHECK (reason <> ''),
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
