-- Images are found by their addresses alone. The limit of their number is a number of its own instead
-- of the number of slots, and the program, instead of a trigger, keeps the last 200 failures.

-- The tables are created anew, so that their statements are the whole ones of this file, with which the
-- schema of a database is compared (ForeignSchema).
-- The images that were used last, up to 64 MiB: the others are fetched again.
CREATE TEMP TABLE kept_image AS
SELECT image.* FROM (
  SELECT image_cache.*, image_use.use_order,
    sum(length(bytes)) OVER (ORDER BY coalesce(use_order, 0) DESC, slot) AS bytes_so_far
  FROM image_cache LEFT JOIN image_use USING (slot)
) AS image
WHERE bytes_so_far <= 67108864 AND instr(url, char(0)) = 0;
CREATE TEMP TABLE kept_tally AS
SELECT
  (SELECT min(max(count(*), 1), 10000) FROM cache_slot) AS image_limit,
  max(coalesce((SELECT hit_count FROM image_tally), 0), 0) AS hit_count,
  max(coalesce((SELECT miss_count FROM image_tally), 0), 0) AS miss_count,
  max(coalesce((SELECT eviction_count FROM image_tally), 0), 0) AS eviction_count;
DROP TABLE image_use;
DROP TABLE image_cache;
DROP TABLE cache_slot;
DROP TABLE image_tally;
DROP TRIGGER IF EXISTS image_failure_holds_200;

-- The limit and the counts of the image cache, in a single row.
CREATE TABLE image_tally (
  tally_key INTEGER PRIMARY KEY CHECK (tally_key = 1),
  image_limit INTEGER NOT NULL CHECK (image_limit BETWEEN 1 AND 10000),
  hit_count INTEGER NOT NULL CHECK (hit_count >= 0),
  miss_count INTEGER NOT NULL CHECK (miss_count >= 0),
  eviction_count INTEGER NOT NULL CHECK (eviction_count >= 0)
) STRICT;

INSERT INTO image_tally (tally_key, image_limit, hit_count, miss_count, eviction_count)
SELECT 1, image_limit, hit_count, miss_count, eviction_count FROM kept_tally;

CREATE TABLE image_cache (
  -- As the feed prints it, so that an offer finds its picture.
  url TEXT PRIMARY KEY NOT NULL CHECK (url <> ''),
  -- Detected from the first bytes.
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
  -- The copy of the image for lists, at most 480 pixels wide, if the image is wider or has many bytes;
  -- or why there is none, so that it is not tried again for the same image. Both are NULL if it was not
  -- tried. They stand before the image, so that SQLite reads them without its pages.
  thumbnail_problem TEXT CHECK (thumbnail_problem <> ''),
  thumbnail BLOB CHECK (length(thumbnail) BETWEEN 1 AND 262144),
  bytes BLOB NOT NULL CHECK (length(bytes) BETWEEN 1 AND 5242880),
  CHECK (width * height <= 50000000),
  CHECK (thumbnail IS NULL OR thumbnail_problem IS NULL)
) STRICT;

-- The order in which the images were last used, by a counter; the lowest is evicted first.
CREATE TABLE image_use (
  url TEXT PRIMARY KEY NOT NULL REFERENCES image_cache ON UPDATE CASCADE ON DELETE CASCADE,
  use_order INTEGER NOT NULL CHECK (use_order > 0)
) STRICT, WITHOUT ROWID;

-- A row that no program of this kind writes is left out.
INSERT OR IGNORE INTO image_cache (
  url, content_type, width, height, etag, last_modified, fetched_at, fresh_until,
  thumbnail_problem, thumbnail, bytes)
SELECT url, content_type, width, height, etag, last_modified, fetched_at, fresh_until,
  thumbnail_problem, thumbnail, bytes
FROM kept_image ORDER BY slot;
INSERT OR IGNORE INTO image_use (url, use_order)
SELECT url, use_order FROM kept_image
WHERE use_order IS NOT NULL AND url IN (SELECT url FROM image_cache) ORDER BY url;
DROP TABLE temp.kept_image;
DROP TABLE temp.kept_tally;

-- The limit holds at every commit of any program.
CREATE TRIGGER image_cache_is_bounded AFTER INSERT ON image_cache
WHEN (SELECT count(*) FROM image_cache) > (SELECT image_limit FROM image_tally)
BEGIN
  SELECT RAISE(ABORT, 'image_cache holds image_tally.image_limit images at most: remove one first');
END;

CREATE TRIGGER image_limit_is_kept AFTER UPDATE OF image_limit ON image_tally
WHEN (SELECT count(*) FROM image_cache) > NEW.image_limit
BEGIN
  SELECT RAISE(ABORT, 'image_cache holds image_tally.image_limit images at most: remove one first');
END;

CREATE TRIGGER image_limit_is_not_replaced AFTER INSERT ON image_tally
WHEN (SELECT count(*) FROM image_cache) > NEW.image_limit
BEGIN
  SELECT RAISE(ABORT, 'image_cache holds image_tally.image_limit images at most: remove one first');
END;

CREATE TRIGGER image_limit_is_there AFTER DELETE ON image_tally
BEGIN
  SELECT RAISE(ABORT, 'image_tally has one row');
END;
