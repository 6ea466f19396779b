CREATE TABLE image_tally (
  tally_key BIGINT PRIMARY KEY CHECK (tally_key = 1),
  image_limit BIGINT NOT NULL CHECK (image_limit BETWEEN 1 AND 10000),
  hit_count BIGINT NOT NULL CHECK (hit_count >= 0),
  miss_count BIGINT NOT NULL CHECK (miss_count >= 0),
  eviction_count BIGINT NOT NULL CHECK (eviction_count >= 0)
);

INSERT INTO image_tally (tally_key, image_limit, hit_count, miss_count, eviction_count)
VALUES (1, 50, 0, 0, 0);

CREATE TABLE image_cache (
  url TEXT COLLATE "C" PRIMARY KEY CHECK (url <> ''),
  content_type TEXT NOT NULL CHECK (
    content_type IN ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif')),
  width BIGINT NOT NULL CHECK (width > 0),
  height BIGINT NOT NULL CHECK (height > 0),
  etag TEXT CHECK (etag <> ''),
  last_modified TEXT CHECK (last_modified <> ''),
  fetched_at BIGINT NOT NULL,
  fresh_until BIGINT NOT NULL,
  thumbnail_problem TEXT CHECK (thumbnail_problem <> ''),
  thumbnail BYTEA CHECK (length(thumbnail) BETWEEN 1 AND 262144),
  bytes BYTEA NOT NULL CHECK (length(bytes) BETWEEN 1 AND 5242880),
  CHECK (width * height <= 50000000),
  CHECK (thumbnail IS NULL OR thumbnail_problem IS NULL)
);

CREATE TABLE image_use (
  url TEXT COLLATE "C" PRIMARY KEY REFERENCES image_cache ON UPDATE CASCADE ON DELETE CASCADE,
  use_order BIGINT NOT NULL CHECK (use_order > 0)
);

CREATE TABLE image_failure (
  url TEXT COLLATE "C" PRIMARY KEY CHECK (url <> ''),
  code TEXT NOT NULL CHECK (code <> ''),
  reason TEXT NOT NULL CHECK (reason <> ''),
  until BIGINT NOT NULL
);
