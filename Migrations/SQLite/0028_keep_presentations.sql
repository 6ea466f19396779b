-- How the offers of the feed were shown by the definition of its last sync, for programs without that
-- definition: {"layout","noun","nouns","value_role","byline"}. NULL if no sync has stored it.
ALTER TABLE feed_detail ADD COLUMN presentation TEXT
  CHECK (presentation IS NULL OR json_valid(presentation));
