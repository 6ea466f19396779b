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
