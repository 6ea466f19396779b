import OffersCore

/// A transaction of a store, in which statements run. Parameters are `$1`, `$2` and so on.
///
/// A text that has U+0000 is refused as a parameter with `StoredText.refusal`, because PostgreSQL cannot
/// hold it. A statement that looks a text up does so only for one that `StoredText.isStorable` allows.
package protocol Transaction {
  var dialect: Dialect { get }

  /// Runs a statement.
  ///
  /// - Returns: the number of rows that it has inserted, updated or deleted.
  @discardableResult
  func run(_ sql: String, _ values: [SQLValue]) throws -> Int

  /// Calls `body` with the rows of a query until it returns false. A file is read no further then.
  ///
  /// - Parameters:
  ///   - sql: the query, which limits the number of its rows, or a statement with RETURNING.
  ///   - values: its parameters.
  ///   - isFrequent: whether a program runs it so often that PostgreSQL should plan it once for each
  ///     connection.
  ///   - body: may not run statements.
  func scan(
    _ sql: String, _ values: [SQLValue], isFrequent: Bool, _ body: (any SQLRow) throws -> Bool
  ) throws

  /// Calls `body` with each row of a query of any length.
  ///
  /// - Parameters:
  ///   - sql: the query.
  ///   - values: its parameters.
  ///   - fetchedCount: the number of rows that PostgreSQL sends at once.
  ///   - body: may run other statements.
  func forEach(
    _ sql: String, _ values: [SQLValue], fetchedCount: Int, _ body: (any SQLRow) throws -> Void
  ) throws

  /// A writer of offers and changes.
  ///
  /// - Parameter isIndexed: whether it updates the search index of a file, which is otherwise rebuilt when
  ///   it is needed.
  func makeOfferWriter(isIndexed: Bool) throws -> any OfferWriter

  /// Brings the search up to date before offers are deleted.
  func willDeleteOffers(_ keys: [Int64]) throws

  /// Searches the offers.
  ///
  /// - Parameters:
  ///   - query: the search.
  ///   - user: the user whose favorites count.
  ///   - feedKey: the feed to search; nil for all.
  /// - Returns: nil if the search must be prepared first (`Engine.prepareSearch()`).
  func search(
    _ query: SearchQuery, of user: User.ID, feedKey: Int64?
  ) throws -> SearchResults?
}

extension Transaction {
  @discardableResult
  package func run(_ sql: String) throws -> Int { try run(sql, []) }

  /// The results of a call for each row of a query or of a statement with RETURNING, in order.
  package func rows<Value>(
    _ sql: String, _ values: [SQLValue] = [], isFrequent: Bool = false,
    _ transform: (any SQLRow) throws -> Value
  ) throws -> [Value] {
    var results: [Value] = []
    try scan(sql, values, isFrequent: isFrequent) { row in
      results.append(try transform(row))
      return true
    }
    return results
  }

  package func scan(
    _ sql: String, _ values: [SQLValue], _ body: (any SQLRow) throws -> Bool
  ) throws {
    try scan(sql, values, isFrequent: false, body)
  }

  /// The result of a call for the first row; nil without a row.
  package func first<Value>(
    _ sql: String, _ values: [SQLValue] = [], isFrequent: Bool = false,
    _ transform: (any SQLRow) throws -> Value
  ) throws -> Value? {
    try rows(sql, values, isFrequent: isFrequent, transform).first
  }

  /// Whether a query has a row.
  package func exists(
    _ sql: String, _ values: [SQLValue] = [], isFrequent: Bool = false
  ) throws -> Bool {
    try first(sql, values, isFrequent: isFrequent) { _ in true } ?? false
  }

  package func forEach(
    _ sql: String, _ values: [SQLValue] = [], _ body: (any SQLRow) throws -> Void
  ) throws {
    try forEach(sql, values, fetchedCount: 2000, body)
  }
}
