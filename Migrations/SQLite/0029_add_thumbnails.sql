-- The copy of an image for lists, at most 480 pixels wide, if the image is wider or has many bytes; or why
-- there is none, so that it is not tried again for the same image. Both are NULL if it was not tried. The
-- columns are in the row of the image, so that they never outlive it.
ALTER TABLE image_cache ADD COLUMN thumbnail BLOB
  CHECK (length(thumbnail) BETWEEN 1 AND 262144);
ALTER TABLE image_cache ADD COLUMN thumbnail_problem TEXT
  CHECK (thumbnail_problem IS NULL OR (thumbnail_problem <> '' AND thumbnail IS NULL));
