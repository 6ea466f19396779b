-- The cache of at most 50 offer images, with recent failures to fetch images, and leases for
-- fetching.

CREATE TABLE image_cache (
  -- A place among the 50. This bound holds without triggers, the trigger below without checks.
  slot INTEGER PRIMARY KEY CHECK (slot BETWEEN 1 AND 50),
  -- As the feed prints it, so that an offer finds its picture.
  url TEXT NOT NULL UNIQUE CHECK (url <> ''),
  -- What the first bytes say that it is, not its server.
  content_type TEXT NOT NULL CHECK (
    content_type IN ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif')
  ),
  width INTEGER NOT NULL CHECK (width > 0),
  height INTEGER NOT NULL CHECK (height > 0),
  etag TEXT CHECK (etag <> ''),
  last_modified TEXT CHECK (last_modified <> ''),
  fetched_at INTEGER NOT NULL,
  -- Until when its server need not be asked for something newer.
  fresh_until INTEGER NOT NULL,
  bytes BLOB NOT NULL CHECK (length(bytes) BETWEEN 1 AND 5242880),
  CHECK (width * height <= 50000000)
) STRICT;

-- Counts the rows on each insertion, because INSERT OR REPLACE removes rows without a trigger, so a
-- number that triggers maintain would become wrong.
CREATE TRIGGER image_cache_holds_50 AFTER INSERT ON image_cache
WHEN (SELECT count(*) FROM image_cache) > 50
BEGIN
  SELECT RAISE(ABORT, 'image_cache holds 50 images at most: write over one');
END;

-- The order in which the slots were last used, by a counter; the lowest is evicted first. In a
-- table of its own, so that recording many uses writes one page.
CREATE TABLE image_use (
  slot INTEGER PRIMARY KEY CHECK (slot BETWEEN 1 AND 50),
  use_order INTEGER NOT NULL CHECK (use_order > 0)
) STRICT;

-- The numbers of lookups that found an image, of lookups that found none, and of evictions, in a
-- single row.
CREATE TABLE image_tally (
  tally_key INTEGER PRIMARY KEY CHECK (tally_key = 1),
  hit_count INTEGER NOT NULL CHECK (hit_count >= 0),
  miss_count INTEGER NOT NULL CHECK (miss_count >= 0),
  eviction_count INTEGER NOT NULL CHECK (eviction_count >= 0)
) STRICT;

INSERT INTO image_tally (tally_key, hit_count, miss_count, eviction_count) VALUES (1, 0, 0, 0);

-- The reason why an image could not be fetched, and until when it is not requested again.
CREATE TABLE image_failure (
  url TEXT PRIMARY KEY CHECK (url <> ''),
  code TEXT NOT NULL CHECK (code <> ''),
  reason TEXT NOT NULL CHECK (reason <> ''),
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER image_failure_holds_200 AFTER INSERT ON image_failure
WHEN (SELECT count(*) FROM image_failure) > 200
BEGIN
  DELETE FROM image_failure WHERE url IN (
    SELECT url FROM image_failure ORDER BY until DESC, url LIMIT -1 OFFSET 200
  );
END;

-- A lease: the process that fetches an image, so that no other process does. It expires by itself.
CREATE TABLE image_lease (
  url TEXT PRIMARY KEY CHECK (url <> ''),
  holder INTEGER NOT NULL,
  -- In milliseconds, because a second is long here.
  until_milliseconds INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
