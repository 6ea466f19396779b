-- Leaves the characters that nobody sees or types out of the search index: soft hyphens, zero-width
-- spaces and joiners, and marks of the direction, which the program leaves out of searches as well
-- (UnseenCharacters). The index of the stored offers is made anew when it is needed.

DROP VIEW search_text;

-- The texts of each offer, as in 0025_read_brackets_in_lists.
CREATE VIEW offer_text AS
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
    -- ["a","b"] becomes ["a\nb"].
    ELSE json_extract(
      '["' || replace(replace(replace(
        replace(replace(substr(json(detail.categories), 3), '\\', char(1)), '\"', char(2)),
        '","', '\n'), char(2), '\"'), char(1), '\\'),
      '$[0]')
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
    -- A label or a value that is exactly ],[ looks like the place between two pairs. SQLite keeps the
    -- parsed list between the calls.
    WHEN instr(json(detail.attributes), '["],["') + instr(json(detail.attributes), '"],["]') > 0
    THEN (
      WITH RECURSIVE pair (number) AS (
        SELECT 0
        UNION ALL
        SELECT number + 1 FROM pair WHERE number + 1 < json_array_length(detail.attributes)
      )
      SELECT group_concat(value, char(10))
      FROM (
        SELECT json_extract(detail.attributes, '$[' || number || '][1]') AS value
        FROM pair ORDER BY number
      )
    )
    ELSE (
      -- Pieces of a,"b"],["c","d, without the brackets at the ends. Each is split at the first place
      -- between two pairs in its second half, until there is none. The places between pairs that a
      -- piece has all begin within its first `bound` characters.
      WITH RECURSIVE piece (place, bound, text) AS (
        SELECT 0, length(detail.attributes), replace(replace(
          substr(json(detail.attributes), 4, length(json(detail.attributes)) - 6),
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
FROM offer LEFT JOIN offer_detail AS detail ON detail.offer_key = offer.offer_key;

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

UPDATE search_state SET is_current = 0 WHERE EXISTS (SELECT 1 FROM offer);
