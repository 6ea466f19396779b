-- A sync compares a document with the offers themselves. The hashes that were kept for this purpose
-- are no longer read. They contain no information that the offers lack.
DROP TRIGGER offer_is_otherwise;
DROP TRIGGER offer_is_removed;
DROP TABLE known_offers_doubt;
DROP TABLE known_offers_piece;
DROP TABLE known_offers;
DROP TABLE record_memory_values;
DROP TABLE record_memory;
