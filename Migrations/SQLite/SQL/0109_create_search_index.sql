CREATE VIEW search_text AS
SELECT
  offer_key,
  text_words(name) AS name,
  text_words(description) AS description,
  text_words(terms) AS terms,
  text_words(retailer) AS retailer,
  list_words(categories) AS categories,
  value_words(attributes) AS attributes
FROM offer;

CREATE VIRTUAL TABLE offer_search USING fts5 (
  name, description, terms, retailer, categories, attributes,
  content = 'search_text',
  content_rowid = 'offer_key',
  tokenize = 'ascii'
);

INSERT INTO offer_search (offer_search, rank) VALUES ('hashsize', 8388608);

CREATE VIRTUAL TABLE search_term USING fts5vocab ('offer_search', 'row');

CREATE TABLE search_state (
  state_key INTEGER PRIMARY KEY CHECK (state_key = 1),
  is_current INTEGER NOT NULL CHECK (is_current IN (0, 1))
) STRICT;

INSERT INTO search_state (state_key, is_current) VALUES (1, 1);
