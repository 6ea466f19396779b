-- A sync compares a document with the offers themselves: what was kept beside them for it is not read
-- any more. None of it is told anywhere else than in the offers.
DROP TRIGGER offer_is_otherwise;
DROP TRIGGER offer_is_removed;
DROP TABLE known_offers_doubt;
DROP TABLE known_offers_piece;
DROP TABLE known_offers;
DROP TABLE record_memory_values;
DROP TABLE record_memory;
