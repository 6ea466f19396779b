-- How the offers of the feed were shown by the definition of its last sync, for programs without that
-- definition, as JSON: {"layout","noun","nouns","value_role","byline"}. NULL if no sync has stored it.
ALTER TABLE feed ADD COLUMN presentation TEXT;
