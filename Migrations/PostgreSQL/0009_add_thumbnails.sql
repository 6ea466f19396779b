-- The copy of an image for lists, at most 480 pixels wide, if the image is wider or has many bytes; or why
-- there is none, so that it is not tried again for the same image. Both are NULL if it was not tried. The
-- columns are in the row of the image, so that they never outlive it.
ALTER TABLE image_cache ADD COLUMN thumbnail BYTEA
  CHECK (length(thumbnail) BETWEEN 1 AND 262144);
ALTER TABLE image_cache ADD COLUMN thumbnail_problem TEXT CHECK (thumbnail_problem <> '');
ALTER TABLE image_cache ADD CONSTRAINT image_cache_thumbnail_is_one
  CHECK (thumbnail IS NULL OR thumbnail_problem IS NULL);

-- Another image of the same address has another copy. The programs of the version before this one, which
-- write during an upgrade of several nodes, do not know the columns.
CREATE FUNCTION image_cache_forgets_thumbnail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.thumbnail = NULL;
  NEW.thumbnail_problem = NULL;
  RETURN NEW;
END
$$;

CREATE TRIGGER image_cache_forgets_thumbnail BEFORE UPDATE OF bytes ON image_cache
FOR EACH ROW EXECUTE FUNCTION image_cache_forgets_thumbnail();
