import OffersCore

/// The differences between the SQL of the two engines.
package enum Dialect: Sendable {
  case sqlite
  case postgres

  /// The greater of two values. PostgreSQL's `max` is an aggregate only.
  package var greatest: String { self == .sqlite ? "max" : "greatest" }

  /// The lesser of two values. PostgreSQL's `min` is an aggregate only.
  package var least: String { self == .sqlite ? "min" : "least" }

  /// A query that lets the keys of a table go on behind its largest one, after rows were inserted with theirs; nil for
  /// SQLite, which does so by itself.
  func continuation(of key: String, in table: String) -> String? {
    self == .sqlite
      ? nil
      : """
      SELECT setval(pg_get_serial_sequence('\(table)', '\(key)'), max(\(key))) FROM \(table)
      """
  }

  /// Locks the selected rows, so that transactions that lock them follow each other. SQLite has one writer
  /// at a time.
  package var forUpdate: String { self == .sqlite ? "" : "FOR NO KEY UPDATE" }

  /// Locks the selected rows, which are about to be deleted. SQLite has one writer at a time.
  package var forDeletion: String { self == .sqlite ? "" : "FOR UPDATE" }

  /// Keeps the selected rows from being deleted before the transaction ends. SQLite has one writer at
  /// a time.
  package var forKeyShare: String { self == .sqlite ? "" : "FOR KEY SHARE" }

  /// Keeps the selected rows of one of several tables from being deleted before the transaction ends. SQLite has one
  /// writer at a time.
  func forKeyShare(of table: String) -> String {
    self == .sqlite ? "" : "FOR KEY SHARE OF \(table)"
  }

  /// Keeps others from starring offers before the transaction ends; nil for SQLite, which has one writer at a
  /// time.
  var lockOfFavorites: String? {
    self == .sqlite ? nil : "LOCK TABLE favorite IN SHARE MODE"
  }

  /// How the size of the history is measured.
  var historyMeasure: HistoryMeasure { self == .sqlite ? .sqlite : .postgres }

  /// A JSON object whose members other than one are replaced by 0. In SQLite, a text that is no JSON, as in
  /// a damaged file, stays as it is.
  ///
  /// - Parameters:
  ///   - text: an expression for the object.
  ///   - key: the name of the member that is kept.
  func jsonObject(_ text: String, keeping key: String) -> String {
    switch self {
    case .postgres:
      """
      (SELECT json_object_agg(key, CASE key WHEN '\(key)' THEN value ELSE '0' END)
        FROM json_each(\(text)::json))::text
      """
    case .sqlite:
      """
      CASE WHEN json_valid(\(text)) THEN (
        SELECT json_group_object(key, CASE key WHEN '\(key)' THEN json(\(text) -> key) ELSE 0 END)
        FROM json_each(\(text))) ELSE \(text) END
      """
    }
  }

  /// Skips rows of a list without a limit. SQLite knows OFFSET only behind LIMIT.
  package func offset(_ count: String) -> String {
    self == .sqlite ? "LIMIT -1 OFFSET \(count)" : "OFFSET \(count)"
  }

  /// A column of the offers of a list that no index is to be used for. SQLite takes the index on the feed and
  /// the id of an offer for a condition on its feed, and sorts the whole feed then instead of reading the
  /// offers in their order. https://sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_
  package func unindexed(_ column: String) -> String {
    self == .sqlite ? "+\(column)" : column
  }

  /// A condition that the keys of an offer's categories have one of them.
  ///
  /// - Parameter key: a parameter with the bytes of `NaturalOrder.element(_:)`.
  package func hasCategory(_ key: String) -> String {
    self == .sqlite
      ? "instr(offer.category_keys, \(key)) > 0" : "position(\(key) IN offer.category_keys) > 0"
  }

  /// The texts of a JSON list as a table of a FROM clause, with the column `value`, compared by their bytes.
  package func texts(of json: String, as name: String) -> String {
    self == .sqlite
      ? "json_each(\(json)) AS \(name)"
      : """
      LATERAL (
        SELECT element.value COLLATE "C" AS value
        FROM json_array_elements_text(\(json)::json) AS element (value)) AS \(name)
      """
  }

  /// A condition that a value is an element of the list in a parameter.
  package func isElement(_ value: String, of parameter: String) -> String {
    self == .sqlite
      ? "\(value) IN (SELECT value FROM json_each(\(parameter)))" : "\(value) = ANY(\(parameter))"
  }

  /// References as a table with the columns `feed` and `id`; see the other function of this name.
  func table(
    _ refs: [OfferRef], as name: String, first: Int = 1
  ) -> (sql: String, values: [SQLValue]) {
    table(
      ["feed": .texts(refs.map(\.feed)), "id": .texts(refs.map(\.offerID))], as: name, first: first)
  }

  /// Rows of values from lists, as a table of a FROM clause.
  ///
  /// - Parameters:
  ///   - columns: the names of the columns and their lists, each as many values as the others: of
  ///     `SQLValue.numbers` or `SQLValue.texts`.
  ///   - name: the name of the table.
  ///   - first: the number of the first of its parameters; they are as many as the columns.
  /// - Returns: the table and its parameters.
  package func table(
    _ columns: KeyValuePairs<String, SQLValue>, as name: String, first: Int = 1
  ) -> (sql: String, values: [SQLValue]) {
    switch self {
    case .postgres:
      let parameters = columns.indices.map { "$\(first + $0)" }.joined(separator: ", ")
      let names = columns.map(\.key).joined(separator: ", ")
      return ("unnest(\(parameters)) AS \(name) (\(names))", columns.map(\.value))
    case .sqlite:
      // All rows are in the first parameter, because a row of the second list would be found by a scan.
      let selection = columns.enumerated().map { "value ->> \($0) AS \($1.key)" }
      let unused = columns.dropFirst().map { _ in SQLValue.number(nil) }
      return (
        "(SELECT \(selection.joined(separator: ", ")) FROM json_each($\(first))) AS \(name)",
        [.rows(columns.map(\.value))] + unused
      )
    }
  }
}

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

  /// PostgreSQL has an estimate of the number of rows, which is good enough for many.
  static let postgres = HistoryMeasure(
    mostBytes: "SELECT pg_total_relation_size('change')",
    count: """
      SELECT CASE WHEN reltuples >= 100000 THEN CAST(reltuples AS BIGINT)
        ELSE (SELECT count(*) FROM change) END
      FROM pg_class WHERE oid = 'change'::regclass
      """, fieldBytes: "octet_length(fields)", rowBytes: 160)
}
