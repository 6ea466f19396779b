import Foundation
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

  /// Whether the search index has the words of all offers; otherwise `Engine.prepareSearch()` is called first.
  func isSearchCurrent() throws -> Bool

  /// Searches the offers in a current index.
  ///
  /// - Parameters:
  ///   - query: the search.
  ///   - conditions: the conditions of its selection, whose first parameter is the user.
  ///   - user: the user whose favorites count.
  func search(
    _ query: SearchQuery, _ conditions: SearchConditions, of user: User.ID
  ) throws -> SearchResults
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

/// The conditions of a search besides its words, over the table `offer`.
package struct SearchConditions: Sendable {
  package let parts: [String]
  /// Their parameters.
  package let bindings: Bindings
  /// The feed that is searched, if it is only one.
  package let feedKey: Int64?

  package init(parts: [String], _ bindings: Bindings, feedKey: Int64?) {
    (self.parts, self.bindings, self.feedKey) = (parts, bindings, feedKey)
  }
}

/// The purpose of a transaction, from which an engine derives isolation, durability, waits and retries.
///
/// A repeatable write leaves the same data if it is made twice, so that PostgreSQL's store may make it again
/// after a connection was lost during its commit.
package enum TransactionMode: Sendable {
  /// Reads one state of the data by any number of queries.
  case read
  /// As `read`, but not made again after a lost connection: the caller has passed on some of what was read.
  case export
  /// A single query, which needs no transaction.
  case query
  /// A write.
  case write
  /// A write that removes offers, changes or runs. It waits for syncs, and syncs wait for it.
  case removal
  /// A write of a sync. PostgreSQL refuses it if another program has been given the lease of a feed that
  /// is being synced.
  case sync
  /// As `sync`, for a run that changed no offer: a power cut may lose it in a file.
  case syncNote
  /// A write that is rolled back.
  case trial
  /// A repeatable write.
  case repeatableWrite
  /// A repeatable write of the favorites of one user, which waits for no other write of theirs.
  case favorites
  /// A repeatable write of what no program keeps a copy of: the version of the data stays.
  case repeatableUncountedWrite
  /// A repeatable write that is worth no wait: a power cut may lose it in a file, where it waits for other
  /// writers for two seconds only.
  case note
  /// A note that is made even if the store was opened for reading only.
  case noteOfReader

  /// An image or what is known of one, which can be fetched again: a power cut may lose it.
  case image
  /// As `image`, for what a program keeps no copy of.
  case uncountedImage
  /// The uses of images: as `image`, and in a file it waits for other writers for two seconds only.
  case imageNote

  /// Whether it writes images, or what is known of them, only.
  var isOfPictures: Bool { self == .image || self == .uncountedImage || self == .imageNote }
}

/// A row of a result, valid as long as the call that it is passed to. Its columns are numbered from 0.
package protocol SQLRow {
  /// An integer; nil for NULL.
  func findNumber(_ column: Int) -> Int64?
  /// A floating-point number; nil for NULL.
  func findReal(_ column: Int) -> Double?
  /// A text; nil for NULL.
  func findText(_ column: Int) -> String?
  /// The UTF-8 of a text, valid as long as the row; nil for NULL.
  func findUTF8(_ column: Int) -> UnsafeRawBufferPointer?
  /// Bytes; nil for NULL.
  func findBlob(_ column: Int) -> [UInt8]?
  /// A truth value; false for NULL.
  func flag(_ column: Int) -> Bool
}

/// NULL in a column that never has one, as in a damaged file, is read as 0 or as an empty text.
extension SQLRow {
  package func number(_ column: Int) -> Int64 { findNumber(column) ?? 0 }
  package func text(_ column: Int) -> String { findText(column) ?? "" }
  package func blob(_ column: Int) -> [UInt8] { findBlob(column) ?? [] }

  /// A count or a size, moved to the nearest number that is exact as a `Double`, so that sums of stored
  /// ones cannot overflow.
  package func count(_ column: Int) -> Int {
    let limit = Int64(1) << 53
    return Int(min(max(number(column), -limit), limit))
  }

  /// A time, stored in Unix seconds; nil for NULL.
  package func findDate(_ column: Int) -> Date? {
    findNumber(column).map(Date.init(storedSeconds:))
  }

  package func date(_ column: Int) -> Date { Date(storedSeconds: number(column)) }
}

/// A value that is bound to a parameter of a statement. A missing value keeps its type, which PostgreSQL
/// needs to know.
package enum SQLValue: Sendable {
  case number(Int64?)
  case real(Double?)
  case flag(Bool?)
  case text(String?)
  case bytes([UInt8]?)
  /// A list in one parameter, for `Dialect.isElement(_:of:)` and `Dialect.table(_:as:first:)`.
  case numbers([Int64?])
  /// A list in one parameter, for `Dialect.isElement(_:of:)` and `Dialect.table(_:as:first:)`.
  case texts([String?])
  /// Lists of the same length in one parameter, which SQLite takes apart.
  indirect case rows([SQLValue])

  /// A time, stored in Unix seconds.
  package static func date(_ date: Date?) -> SQLValue { .number(date?.storedSeconds) }

  /// A count or a size.
  package static func count(_ count: Int) -> SQLValue { .number(Int64(count)) }

  /// Whether this has a text that a store cannot hold, because it has U+0000.
  package var isUnstorable: Bool {
    switch self {
    case .text(let text): text?.utf8.contains(0) ?? false
    case .texts(let texts): texts.contains { $0?.utf8.contains(0) ?? false }
    case .rows(let columns): columns.contains(where: \.isUnstorable)
    case .number, .real, .flag, .bytes, .numbers: false
    }
  }
}

/// Lists as JSON, which SQLite takes apart.
extension SQLValue {
  /// The elements of a list, `["ibotta","facts"]`, or rows: `[["ibotta",1],["facts",2]]`.
  package var jsonList: String {
    var json = JSONWriter()
    json.array { json in for index in 0..<elementCount { append(index, to: &json) } }
    return json.text
  }

  private var elementCount: Int {
    switch self {
    case .numbers(let numbers): numbers.count
    case .texts(let texts): texts.count
    case .rows(let columns): columns.first?.elementCount ?? 0
    case .number, .real, .flag, .text, .bytes: 0
    }
  }

  private func append(_ index: Int, to json: inout JSONWriter) {
    switch self {
    case .numbers(let numbers): json.value(numbers[index])
    case .texts(let texts): json.value(texts[index])
    case .rows(let columns):
      json.array { json in for column in columns { column.append(index, to: &json) } }
    case .number, .real, .flag, .text, .bytes: break
    }
  }
}

/// The parameters of a statement, numbered as they are added.
package struct Bindings: Sendable {
  package private(set) var values: [SQLValue]

  package init(_ values: [SQLValue] = []) { self.values = values }

  /// Adds a parameter and returns its name in SQL.
  package mutating func add(_ value: SQLValue) -> String {
    values.append(value)
    return "$\(values.count)"
  }

  /// Adds the maximum number of rows, nil for all, and returns the `LIMIT` clause. A negative number is none.
  package mutating func addLimit(_ count: Int?) -> String {
    count.map { "LIMIT \(add(.count(max(0, $0))))" } ?? ""
  }
}
