-- The search index over all offers, and the recent searches.

-- The searched texts of each offer. Its categories are one text with a line for each, and so are
-- the values of its attributes. The labels of attributes are left out, because all offers of a feed
-- share them. Up to 4 categories and up to 6 attributes, which suffice for nearly all offers, are
-- joined by one expression each, at half the cost of the recursive query for longer lists.
-- Table-valued functions would be simpler, but are not used, because SQLite does not allow them in
-- a view that FTS5 reads.
CREATE VIEW search_text AS
SELECT
  offer.offer_key,
  offer.name,
  offer.description,
  offer.terms,
  detail.retailer,
  CASE
    WHEN detail.categories IS NULL THEN NULL
    WHEN json_array_length(detail.categories) <= 4 THEN
      json_extract(detail.categories, '$[0]')
      || coalesce(char(10) || json_extract(detail.categories, '$[1]'), '')
      || coalesce(char(10) || json_extract(detail.categories, '$[2]'), '')
      || coalesce(char(10) || json_extract(detail.categories, '$[3]'), '')
    ELSE (
      WITH RECURSIVE item (place) AS (
        SELECT 0
        UNION ALL
        SELECT place + 1 FROM item WHERE place + 1 < json_array_length(detail.categories)
      )
      SELECT group_concat(json_extract(detail.categories, '$[' || place || ']'), char(10))
      FROM item
    )
  END AS categories,
  CASE
    WHEN detail.attributes IS NULL THEN NULL
    WHEN json_array_length(detail.attributes) <= 6 THEN
      json_extract(detail.attributes, '$[0][1]')
      || coalesce(char(10) || json_extract(detail.attributes, '$[1][1]'), '')
      || coalesce(char(10) || json_extract(detail.attributes, '$[2][1]'), '')
      || coalesce(char(10) || json_extract(detail.attributes, '$[3][1]'), '')
      || coalesce(char(10) || json_extract(detail.attributes, '$[4][1]'), '')
      || coalesce(char(10) || json_extract(detail.attributes, '$[5][1]'), '')
    ELSE (
      WITH RECURSIVE item (place) AS (
        SELECT 0
        UNION ALL
        SELECT place + 1 FROM item WHERE place + 1 < json_array_length(detail.attributes)
      )
      SELECT group_concat(json_extract(detail.attributes, '$[' || place || '][1]'), char(10))
      FROM item
    )
  END AS attributes
FROM offer LEFT JOIN offer_detail AS detail ON detail.offer_key = offer.offer_key;

-- The full-text index. It has the positions of the words and stores no texts. No trigger updates
-- it: a transaction that writes offers updates it, or sets search_state.is_current to 0.
CREATE VIRTUAL TABLE offer_search USING fts5 (
  name, description, terms, retailer, categories, attributes,
  content = 'search_text',
  content_rowid = 'offer_key',
  tokenize = 'unicode61 remove_diacritics 2'
);

-- Up to 8 MiB of terms are collected in memory before they are written, because large writes are
-- cheaper.
INSERT INTO offer_search (offer_search, rank) VALUES ('hashsize', 8388608);
-- The weights of matches in each column, in the order of the columns.
INSERT INTO offer_search (offer_search, rank) VALUES ('rank', 'bm25(10, 3, 1, 5, 3, 2)');

-- All indexed words, with the number of offers that have them.
CREATE VIRTUAL TABLE search_term USING fts5vocab ('offer_search', 'row');

CREATE TABLE search_state (
  state_key INTEGER PRIMARY KEY CHECK (state_key = 1),
  -- Whether the index is exactly what the offers are. What is not is made anew when it is needed.
  is_current INTEGER NOT NULL CHECK (is_current IN (0, 1))
) STRICT;

INSERT INTO search_state (state_key, is_current)
SELECT 1, NOT EXISTS (SELECT 1 FROM offer);

CREATE TABLE recent_search (
  -- Counts up: the latest search has the highest.
  search_order INTEGER PRIMARY KEY,
  -- What the words mean to the index, the same for all spellings of one search.
  expression TEXT NOT NULL CHECK (expression <> ''),
  -- The feed that was searched, '' for all.
  feed TEXT NOT NULL,
  -- As they were typed.
  words TEXT NOT NULL CHECK (words <> ''),
  searched_at INTEGER NOT NULL,
  UNIQUE (expression, feed)
) STRICT;

CREATE TRIGGER recent_search_holds_10 AFTER INSERT ON recent_search
BEGIN
  DELETE FROM recent_search WHERE search_order <= (
    SELECT search_order FROM recent_search ORDER BY search_order DESC LIMIT 1 OFFSET 10
  );
END;
