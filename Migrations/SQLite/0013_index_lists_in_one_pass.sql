-- The searched texts of each offer, as in 0005_add_search: the same offer has the same texts, so
-- the index stays valid. A long list is now joined in linear time. Looking up its elements one by
-- one parses the whole list for each, which keeps other writers waiting.
--
-- There are no table-valued functions, because SQLite does not allow them in a view that FTS5
-- reads. A list is split as a text instead: escaped backslashes and quotes are first replaced by
-- control characters, which JSON text cannot contain unescaped, so every remaining quote begins or
-- ends an element.

DROP VIEW search_text;

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
