-- The limit of the image cache is data: the cache has at most as many images as cache_slot has
-- rows. Slots are inserted to raise the limit; free ones are deleted to lower it. The name does not
-- begin with image_, because the limit stays when the tables of images are recreated.

CREATE TABLE cache_slot (
  slot INTEGER PRIMARY KEY CHECK (slot BETWEEN 1 AND 10000)
) STRICT;

WITH RECURSIVE number (slot) AS (SELECT 1 UNION ALL SELECT slot + 1 FROM number WHERE slot < 50)
INSERT INTO cache_slot (slot) SELECT slot FROM number;

-- A CHECK cannot be altered, so both tables are created anew. They are not renamed: SQLite refuses
-- that if a view or trigger of another program is invalid.
CREATE TEMP TABLE kept_image AS SELECT
  slot, url, content_type, width, height, etag, last_modified, fetched_at, fresh_until, bytes
FROM image_cache;
CREATE TEMP TABLE kept_use AS SELECT slot, use_order FROM image_use;
DROP TABLE image_cache;
DROP TABLE image_use;

CREATE TABLE image_cache (
  -- The foreign key bounds the table without triggers, the trigger without foreign keys and checks.
  slot INTEGER PRIMARY KEY REFERENCES cache_slot,
  -- As the feed prints it.
  url TEXT NOT NULL UNIQUE CHECK (url <> ''),
  -- Detected from the first bytes.
  content_type TEXT NOT NULL CHECK (
    content_type IN ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif')
  ),
  width INTEGER NOT NULL CHECK (width > 0),
  height INTEGER NOT NULL CHECK (height > 0),
  etag TEXT CHECK (etag <> ''),
  last_modified TEXT CHECK (last_modified <> ''),
  fetched_at INTEGER NOT NULL,
  fresh_until INTEGER NOT NULL,
  bytes BLOB NOT NULL CHECK (length(bytes) BETWEEN 1 AND 5242880),
  CHECK (width * height <= 50000000)
) STRICT;

-- The last use of each slot, by a counter. A table of its own, so that many uses are written to few
-- pages.
CREATE TABLE image_use (
  slot INTEGER PRIMARY KEY REFERENCES cache_slot ON DELETE CASCADE,
  use_order INTEGER NOT NULL CHECK (use_order > 0)
) STRICT;

INSERT INTO image_cache (
  slot, url, content_type, width, height, etag, last_modified, fetched_at, fresh_until, bytes
) SELECT
  slot, url, content_type, width, height, etag, last_modified, fetched_at, fresh_until, bytes
FROM temp.kept_image;
INSERT INTO image_use (slot, use_order) SELECT slot, use_order FROM temp.kept_use;
DROP TABLE temp.kept_image;
DROP TABLE temp.kept_use;

-- The triggers compare counts, because INSERT OR REPLACE removes rows without a trigger.
CREATE TRIGGER image_cache_is_bounded AFTER INSERT ON image_cache
WHEN (SELECT count(*) FROM image_cache) > (SELECT count(*) FROM cache_slot)
BEGIN
  SELECT RAISE(ABORT, 'image_cache holds one image for each cache_slot at most: write over one');
END;

CREATE TRIGGER cache_slot_is_unused AFTER DELETE ON cache_slot
WHEN max(1, (SELECT count(*) FROM image_cache)) > (SELECT count(*) FROM cache_slot)
BEGIN
  SELECT RAISE(ABORT, 'cache_slot has one slot for each image, and one at least');
END;

CREATE TRIGGER cache_slot_is_kept AFTER UPDATE OF slot ON cache_slot
WHEN max(1, (SELECT count(*) FROM image_cache)) > (SELECT count(*) FROM cache_slot)
BEGIN
  SELECT RAISE(ABORT, 'cache_slot has one slot for each image, and one at least');
END;
