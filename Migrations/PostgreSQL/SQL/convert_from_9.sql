-- Converts a database of version 9 to the first set of migrations, from which it differs in few columns and
-- indexes. The program then computes the keys and the searched words of all offers (OfferRenewal).

ALTER TABLE offer DROP COLUMN category_keys;
ALTER TABLE offer ADD COLUMN category_keys BYTEA;

DROP INDEX offer_by_name;
CREATE INDEX offer_by_name ON offer (feed_key, substr(name, 1, 64));

ALTER TABLE change DROP CONSTRAINT change_kind_check;
ALTER TABLE change ADD CONSTRAINT change_kind_check CHECK (
  kind = 'new' OR kind = 'changed' OR kind = 'gone' OR kind = 'back' OR kind = 'up'
  OR kind = 'down' OR kind = 'first');
ALTER TABLE change DROP CONSTRAINT change_check;
ALTER TABLE change ADD CONSTRAINT change_check
  CHECK ((kind = 'up' OR kind = 'down' OR kind = 'changed') = (fields IS NOT NULL));
ALTER TABLE sync_run ADD CONSTRAINT sync_run_request_count_check CHECK (request_count >= 0);
ALTER TABLE server_key DROP CONSTRAINT server_key_purpose_check;
ALTER TABLE server_key ADD CONSTRAINT server_key_purpose_check
  CHECK (char_length(purpose) BETWEEN 1 AND 64);

-- The program forgets the copy of an image that it replaces.
DROP TRIGGER image_cache_forgets_thumbnail ON image_cache;
DROP FUNCTION image_cache_forgets_thumbnail;
ALTER TABLE image_cache RENAME CONSTRAINT image_cache_thumbnail_is_one TO image_cache_check1;
