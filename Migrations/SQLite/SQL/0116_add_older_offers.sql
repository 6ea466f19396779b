ALTER TABLE missing_offer
  ADD COLUMN is_older INTEGER NOT NULL DEFAULT 0 CHECK (is_older = 0 OR is_older = 1);
