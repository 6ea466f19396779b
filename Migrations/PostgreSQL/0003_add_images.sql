-- The cache of offer images, with recent failures to fetch images, and leases for fetching.

-- The limit and the counts of the image cache, in a single row, whose lock makes those that add images
-- follow each other.
CREATE TABLE image_tally (
  tally_key BIGINT PRIMARY KEY CHECK (tally_key = 1),
  image_limit BIGINT NOT NULL CHECK (image_limit BETWEEN 1 AND 10000),
  hit_count BIGINT NOT NULL CHECK (hit_count >= 0),
  miss_count BIGINT NOT NULL CHECK (miss_count >= 0),
  eviction_count BIGINT NOT NULL CHECK (eviction_count >= 0)
);
INSERT INTO image_tally VALUES (1, 50, 0, 0, 0);

CREATE TABLE image_cache (
  -- As the feed prints it, so that an offer finds its picture.
  url TEXT COLLATE "C" PRIMARY KEY CHECK (url <> ''),
  -- Detected from the first bytes.
  content_type TEXT NOT NULL CHECK (
    content_type IN ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif')),
  width BIGINT NOT NULL CHECK (width > 0),
  height BIGINT NOT NULL CHECK (height > 0),
  etag TEXT CHECK (etag <> ''),
  last_modified TEXT CHECK (last_modified <> ''),
  fetched_at BIGINT NOT NULL,
  -- Until when its server need not be asked for something newer.
  fresh_until BIGINT NOT NULL,
  bytes BYTEA NOT NULL CHECK (length(bytes) BETWEEN 1 AND 5242880),
  CHECK (width * height <= 50000000)
);

-- The order in which the images were last used, by a counter; the lowest is evicted first.
CREATE TABLE image_use (
  url TEXT COLLATE "C" PRIMARY KEY REFERENCES image_cache ON UPDATE CASCADE ON DELETE CASCADE,
  use_order BIGINT NOT NULL CHECK (use_order > 0)
);

-- Enforces the limit of images at every commit of any client. Transactions that insert images wait for
-- each other at the row lock. The count is a separate statement after the lock, so it sees the images
-- that the other transactions committed. Under REPEATABLE READ the lock fails instead.
CREATE FUNCTION image_cache_is_bounded() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  most BIGINT;
BEGIN
  -- An update of the row, not only a lock, so that a stricter isolation level sees the conflict.
  UPDATE image_tally SET image_limit = image_limit WHERE tally_key = 1
    RETURNING image_limit INTO STRICT most;
  IF (SELECT count(*) FROM image_cache) > most THEN
    RAISE EXCEPTION 'image_cache holds % images at most: remove one first', most
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER image_cache_is_bounded AFTER INSERT ON image_cache
FOR EACH STATEMENT EXECUTE FUNCTION image_cache_is_bounded();

CREATE TRIGGER image_limit_is_kept AFTER UPDATE OF image_limit ON image_tally
FOR EACH ROW WHEN (NEW.image_limit < OLD.image_limit)
EXECUTE FUNCTION image_cache_is_bounded();

-- The reason why an image could not be fetched, and until when it is not requested again.
CREATE TABLE image_failure (
  url TEXT COLLATE "C" PRIMARY KEY CHECK (url <> ''),
  code TEXT NOT NULL CHECK (code <> ''),
  reason TEXT NOT NULL CHECK (reason <> ''),
  until BIGINT NOT NULL
);

-- A lease: the program that fetches an image, so that no other does. It expires by itself, by the clock
-- of the database.
CREATE TABLE image_lease (
  url TEXT COLLATE "C" PRIMARY KEY CHECK (url <> ''),
  holder BIGINT NOT NULL,
  until TIMESTAMPTZ NOT NULL
);
