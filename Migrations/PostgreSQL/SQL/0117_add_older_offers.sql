ALTER TABLE missing_offer ADD COLUMN is_older BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX missing_offer_by_age ON missing_offer (since) WHERE is_older;
