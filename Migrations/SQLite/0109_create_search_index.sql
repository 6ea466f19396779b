-- The texts of each offer: its categories as one text, a line each, and so the values of its attributes.
CREATE VIEW offer_text AS
SELECT
  offer.offer_key,
  offer.name,
  offer.description,
  offer.terms,
  offer.retailer,
  CASE
    WHEN offer.categories IS NULL THEN NULL
    WHEN json_array_length(offer.categories) <= 4 THEN
      json_extract(offer.categories, '$[0]')
      || coalesce(char(10) || json_extract(offer.categories, '$[1]'), '')
      || coalesce(char(10) || json_extract(offer.categories, '$[2]'), '')
      || coalesce(char(10) || json_extract(offer.categories, '$[3]'), '')
    -- ["a","b"] becomes ["a\nb"].
    ELSE json_extract(
      '["' || replace(replace(replace(
        replace(replace(substr(json(offer.categories), 3), '\\', char(1)), '\"', char(2)),
        '","', '\n'), char(2), '\"'), char(1), '\\'),
      '$[0]')
  END AS categories,
  CASE
    WHEN offer.attributes IS NULL THEN NULL
    WHEN json_array_length(offer.attributes) <= 6 THEN
      json_extract(offer.attributes, '$[0][1]')
      || coalesce(char(10) || json_extract(offer.attributes, '$[1][1]'), '')
      || coalesce(char(10) || json_extract(offer.attributes, '$[2][1]'), '')
      || coalesce(char(10) || json_extract(offer.attributes, '$[3][1]'), '')
      || coalesce(char(10) || json_extract(offer.attributes, '$[4][1]'), '')
      || coalesce(char(10) || json_extract(offer.attributes, '$[5][1]'), '')
    -- A label or a value that is exactly ],[ looks like the place between two pairs. SQLite keeps the
    -- parsed list between the calls.
    WHEN instr(json(offer.attributes), '["],["') + instr(json(offer.attributes), '"],["]') > 0
    THEN (
      WITH RECURSIVE pair (number) AS (
        SELECT 0
        UNION ALL
        SELECT number + 1 FROM pair WHERE number + 1 < json_array_length(offer.attributes)
      )
      SELECT group_concat(value, char(10))
      FROM (
        SELECT json_extract(offer.attributes, '$[' || number || '][1]') AS value
        FROM pair ORDER BY number
      )
    )
    ELSE (
      -- Pieces of a,"b"],["c","d, without the brackets at the ends. Each is split at the first place
      -- between two pairs in its second half, until there is none. The places between pairs that a
      -- piece has all begin within its first `bound` characters.
      WITH RECURSIVE piece (place, bound, text) AS (
        SELECT 0, length(offer.attributes), replace(replace(
          substr(json(offer.attributes), 4, length(json(offer.attributes)) - 6),
          '\\', char(1)), '\"', char(2))
        UNION ALL
        -- The half before the separator; the whole text if it has no separator.
        SELECT place, bound / 2,
          CASE instr(substr(text, bound / 2 + 1), '"],["')
            WHEN 0 THEN text
            ELSE substr(text, 1, bound / 2 + instr(substr(text, bound / 2 + 1), '"],["') - 1)
          END
        FROM piece WHERE bound > 0
        UNION ALL
        -- The half after the separator.
        SELECT place + bound / 2 + instr(substr(text, bound / 2 + 1), '"],["'),
          bound - bound / 2 - instr(substr(text, bound / 2 + 1), '"],["') - 4,
          substr(text, bound / 2 + instr(substr(text, bound / 2 + 1), '"],["') + 5)
        FROM piece WHERE bound > 0 AND instr(substr(text, bound / 2 + 1), '"],["') > 0
      )
      SELECT json_extract(
        '["' || replace(replace(group_concat(value, '\n'), char(2), '\"'), char(1), '\\') || '"]',
        '$[0]')
      FROM (
        SELECT substr(text, instr(text, '","') + 3) AS value
        FROM piece WHERE bound <= 0 ORDER BY place
      )
    )
  END AS attributes
FROM offer;

-- The searched texts of each offer: those of offer_text without unseen characters.
CREATE VIEW search_text AS
SELECT
  offer_key,
  replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(name,
    char(173), ''), char(847), ''), char(1564), ''), char(6158), ''),
    char(8203), ''), char(8204), ''), char(8205), ''), char(8206), ''),
    char(8207), ''), char(8288), ''), char(65279), '') AS name,
  replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(description,
    char(173), ''), char(847), ''), char(1564), ''), char(6158), ''),
    char(8203), ''), char(8204), ''), char(8205), ''), char(8206), ''),
    char(8207), ''), char(8288), ''), char(65279), '') AS description,
  replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(terms,
    char(173), ''), char(847), ''), char(1564), ''), char(6158), ''),
    char(8203), ''), char(8204), ''), char(8205), ''), char(8206), ''),
    char(8207), ''), char(8288), ''), char(65279), '') AS terms,
  replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(retailer,
    char(173), ''), char(847), ''), char(1564), ''), char(6158), ''),
    char(8203), ''), char(8204), ''), char(8205), ''), char(8206), ''),
    char(8207), ''), char(8288), ''), char(65279), '') AS retailer,
  replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(categories,
    char(173), ''), char(847), ''), char(1564), ''), char(6158), ''),
    char(8203), ''), char(8204), ''), char(8205), ''), char(8206), ''),
    char(8207), ''), char(8288), ''), char(65279), '') AS categories,
  replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(attributes,
    char(173), ''), char(847), ''), char(1564), ''), char(6158), ''),
    char(8203), ''), char(8204), ''), char(8205), ''), char(8206), ''),
    char(8207), ''), char(8288), ''), char(65279), '') AS attributes
FROM offer_text;

CREATE VIRTUAL TABLE offer_search USING fts5 (
  name, description, terms, retailer, categories, attributes,
  content = 'search_text',
  content_rowid = 'offer_key',
  tokenize = 'unicode61 remove_diacritics 2'
);

INSERT INTO offer_search (offer_search, rank) VALUES ('hashsize', 8388608);
INSERT INTO offer_search (offer_search, rank) VALUES ('rank', 'bm25(10, 3, 1, 5, 3, 2)');

CREATE VIRTUAL TABLE search_term USING fts5vocab ('offer_search', 'row');

CREATE TABLE search_state (
  state_key INTEGER PRIMARY KEY CHECK (state_key = 1),
  is_current INTEGER NOT NULL CHECK (is_current IN (0, 1))
) STRICT;

INSERT INTO search_state (state_key, is_current) VALUES (1, 1);
