import OffersCore

/// The differences between the SQL of the two engines.
package enum Dialect: Sendable {
  case sqlite
  case postgres

  /// The table of users: `user` is a word of PostgreSQL's SQL.
  package var users: String { self == .sqlite ? "user" : "account" }

  /// The greater of two values. PostgreSQL's `max` is an aggregate only.
  package var greatest: String { self == .sqlite ? "max" : "greatest" }

  /// The lesser of two values. PostgreSQL's `min` is an aggregate only.
  package var least: String { self == .sqlite ? "min" : "least" }

  /// Locks the selected rows, so that transactions that lock them follow each other. SQLite has one writer
  /// at a time.
  package var forUpdate: String { self == .sqlite ? "" : "FOR NO KEY UPDATE" }

  /// Locks the selected rows, which are about to be deleted. SQLite has one writer at a time.
  package var forDeletion: String { self == .sqlite ? "" : "FOR UPDATE" }

  /// Keeps the selected rows from being deleted before the transaction ends. SQLite has one writer at
  /// a time.
  package var forKeyShare: String { self == .sqlite ? "" : "FOR KEY SHARE" }

  /// Locks the numbers of users; nil for SQLite, which has one writer at a time.
  package var lockOfUsers: String? {
    self == .sqlite ? nil : "SELECT 1 FROM account_order WHERE order_key = 1 FOR UPDATE"
  }

  /// Takes the next number of a user; nil for SQLite, which gives it with the row (AUTOINCREMENT).
  package var nextUser: String? {
    self == .sqlite
      ? nil
      : """
      UPDATE account_order SET last_user_key = last_user_key + 1 WHERE order_key = 1
      RETURNING last_user_key
      """
  }

  /// The number of the offers in the list of a feed. SQLite's number includes the offers that only a search
  /// on the feed's server found and that somebody starred.
  package var currentCount: String {
    self == .sqlite
      ? "feed.current_count"
      : """
      feed.current_count + (SELECT count(*) FROM offer
        WHERE offer.feed_key = feed.feed_key AND offer.found_at IS NOT NULL
          AND offer.gone_at IS NULL AND EXISTS (
            SELECT 1 FROM favorite WHERE favorite.feed = feed.name AND favorite.id = offer.id))
      """
  }

  /// The number of the offers that are gone from a feed, which PostgreSQL's store keeps.
  package var goneCount: String {
    self == .postgres
      ? "feed.gone_count"
      : """
      (SELECT count(*) FROM offer WHERE offer.feed_key = feed.feed_key) - feed.current_count
        - (SELECT count(*) FROM found_offer
          WHERE found_offer.feed_key = feed.feed_key AND is_listed = 0)
      """
  }

  /// Leaves out offers that only a search on the feed's server found, which SQLite has in a table of their
  /// own.
  package var isOfDocument: String { self == .sqlite ? "" : "AND found_at IS NULL" }

  /// The table with the details of an offer, such as its retailer, which SQLite has beside the offers.
  package var offerDetail: String { self == .sqlite ? "detail" : "offer" }

  /// Joins `offerDetail` to the offers of a query.
  package var joinOfOfferDetail: String {
    self == .sqlite
      ? " LEFT JOIN offer_detail AS detail ON detail.offer_key = offer.offer_key" : ""
  }

  /// When an offer left its feed. SQLite keeps the time of the search there for an offer that only a search
  /// found and that is in no list.
  package var goneAt: String {
    self == .sqlite
      ? "CASE WHEN \(Self.isUnlisted) THEN NULL ELSE offer.gone_at END" : "offer.gone_at"
  }

  /// In SQLite: whether only a search on the feed's server found an offer, and nobody starred it.
  package static let isUnlisted = """
    EXISTS (SELECT 1 FROM found_offer
      WHERE found_offer.offer_key = offer.offer_key AND found_offer.is_listed = 0)
    """

  /// Keeps favorites from being set or removed before the transaction ends; nil for SQLite, which has one
  /// writer at a time.
  package var lockOfFavorites: String? {
    self == .sqlite ? nil : "LOCK TABLE favorite IN SHARE MODE"
  }

  /// How the size of the history is measured.
  package var historyMeasure: HistoryMeasure { self == .sqlite ? .sqlite : .postgres }

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
