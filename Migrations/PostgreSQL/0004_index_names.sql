-- Finds the offers of a feed with the name of a favorite that is gone. Only the first characters are indexed,
-- because an entry of an index is limited to about 2,700 bytes.
CREATE INDEX offer_by_name ON offer (feed_key, left(name, 64));
