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
