/// The SQL that measures the recorded changes in an engine.
package struct HistoryMeasure: Sendable {
  /// A query for a size that the changes do not exceed, in bytes.
  let mostBytes: String
  /// A query for the number of the changes.
  let count: String
  /// The size of the column `fields`, in bytes; NULL for NULL.
  let fieldBytes: String
  /// The size of a row without its fields, and of its entries in the indexes, in bytes.
  let rowBytes: Int

  /// The whole file counts, also its free pages.
  static let sqlite = HistoryMeasure(
    mostBytes: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    count: "SELECT count(*) FROM change", fieldBytes: "length(CAST(fields AS BLOB))",
    rowBytes: 50)

  /// The server has an estimate of the number of rows, which is good enough for many.
  static let postgres = HistoryMeasure(
    mostBytes: "SELECT pg_total_relation_size('change')",
    count: """
      SELECT CASE WHEN reltuples >= 100000 THEN CAST(reltuples AS BIGINT)
        ELSE (SELECT count(*) FROM change) END
      FROM pg_class WHERE oid = 'change'::regclass
      """, fieldBytes: "octet_length(fields)", rowBytes: 160)
}
