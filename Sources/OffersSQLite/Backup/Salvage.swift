import Foundation
import GRDB
import GRDBSQLite
import OffersCore
import OffersStore

/// Copies from a damaged database what no sync brings back: users, feeds with their sources and definitions, and
/// favorites with their sharing.
///
/// Each table is read from both of its ends up to a page that cannot be read. Its indexes have the rows
/// between two such pages: the names of feeds and users, and favorites without their times.
///
/// A damaged page can lead to a page that was read before, and rows can share bytes. So a reading also ends
/// at a key that does not grow, and after as many bytes as the file has: what is written is bounded by what
/// was read.
struct Salvage {
  private let source: Database
  private let target: SQLiteTransaction
  private let limitBytes: Int
  private let now = Date().storedSeconds
  private var users: Set<User.ID> = []
  private(set) var summary = SalvageSummary()

  /// The largest number of a user that is copied, so that there are numbers for more users.
  private static let largestUser: Int64 = 1 << 53

  /// - Parameters:
  ///   - source: a connection to the damaged database, for `Configuration.offers(isReadOnly:isSalvage:)`.
  ///   - target: a new database.
  ///   - limitBytes: the size of the damaged database and its log.
  /// - Throws: `DatabaseError` with `SQLITE_CORRUPT` if none of the tables can be found.
  init(from source: Database, to target: Database, limitBytes: Int) throws {
    self.source = source
    self.target = SQLiteTransaction(target)
    self.limitBytes = limitBytes
    try Self.checkTables(in: source)
  }

  /// Refuses a file in which none of the tables is found as this program makes it.
  static func checkTables(in source: Database) throws {
    if tables.contains(where: { isThere($0, in: source) }) { return }
    throw DatabaseError(resultCode: .SQLITE_CORRUPT)
  }

  private static let tables = ["account", "feed", "favorite"]

  /// Whether a table can be found. In its place, a view could make rows for ever.
  private static func isThere(_ table: String, in source: Database) -> Bool {
    let sql = "SELECT sql FROM sqlite_schema WHERE lower(type) = 'table' AND name = '\(table)'"
    // An unreadable schema has no table.
    return (try? SQLiteTransaction(source).first(sql) { $0.text(0) })
      .map(SchemaObject.ownStatements.contains) ?? false
  }

  /// Copies the rows.
  ///
  /// - Throws: the errors of writing. Those of reading are part of the summary.
  mutating func run() throws {
    try copyUsers()
    try copyFeeds()
    try copyDefinitions()
    try copyFavorites()
    try target.run(
      "UPDATE account_order SET last_user_key = (SELECT max(user_key) FROM account)", [])
    summary.users = users.count
  }

  private mutating func copyUsers() throws {
    users = [User.ownerID]
    var isOwnerRead = false
    let isWhole = try forEachRow(
      of: "account", "NOT INDEXED", key: ["user_key"], ["name", "role", "created_at"]
    ) { row in
      let (key, name) = (row.number(0), row.text(1))
      guard (1...Self.largestUser).contains(key), User.isStored(name) else { return }
      if key != User.ownerID {
        try insertUser(key, name, User.Role(rawValue: row.text(2)) ?? .viewer, row.number(3))
      } else if !isOwnerRead {
        isOwnerRead = true
        try target.run(
          """
          UPDATE OR IGNORE account SET name = $1, folded_name = $2, created_at = $3 WHERE user_key = $4
          """,
          [.text(name), .text(User.folded(name)), .number(row.number(3)), .number(key)])
      }
    }
    if isWhole { return }
    summary.unread.append(.users)
    _ = try forEachRow(
      of: "account", "INDEXED BY sqlite_autoindex_account_1", key: ["folded_name"], ["user_key"]
    ) { row in
      let (key, name) = (row.number(1), row.text(0))
      if (2...Self.largestUser).contains(key), User.isStored(name) {
        try insertUser(key, name, .viewer, now)
      }
    }
  }

  /// Inserts a user, unless there is one with this number or name.
  private mutating func insertUser(
    _ key: User.ID, _ name: String, _ role: User.Role, _ createdAt: Int64
  ) throws {
    let count = try target.run(
      """
      INSERT OR IGNORE INTO account (user_key, name, folded_name, role, created_at)
      VALUES ($1, $2, $3, $4, $5)
      """,
      [
        .number(key), .text(name), .text(User.folded(name)), .text(role.rawValue),
        .number(createdAt),
      ])
    if count > 0 { users.insert(key) }
  }

  private mutating func copyFeeds() throws {
    let isWhole = try forEachRow(
      of: "feed", "NOT INDEXED", key: ["feed_key"],
      ["name", "source", "subscribed_at", "unsubscribed_at", "chosen_source", "source_origin"]
    ) { row in
      let feed = (name: row.text(1), source: row.text(2), chosen: row.findText(5))
      guard FeedName.isStored(feed.name), StoredText.isStorable(feed.source + (feed.chosen ?? ""))
      else { return }
      let chosen = feed.chosen == "" ? nil : feed.chosen
      let origin = chosen == nil ? nil : row.findText(6).flatMap(SourceOrigin.init)
      try insertFeed(
        feed.name, source: feed.source.isEmpty ? Self.unknownSource : feed.source,
        row.number(3), until: row.findNumber(4), chosen: chosen, origin)
    }
    if isWhole { return }
    summary.unread.append(.feeds)
    _ = try forEachRow(of: "feed", "INDEXED BY sqlite_autoindex_feed_1", key: ["name"]) { row in
      if FeedName.isStored(row.text(0)) {
        try insertFeed(row.text(0), source: Self.unknownSource, now)
      }
    }
  }

  private mutating func copyDefinitions() throws {
    let isWhole = try forEachRow(
      of: "feed_definition", "NOT INDEXED", key: ["rowid"],
      ["feed", "text", "every_seconds", "currency"]
    ) { row in
      let (name, text) = (row.text(1), row.findText(2))
      guard FeedName.isStored(name), StoredText.isStorable(text ?? "") else { return }
      try insertFeed(name, source: Self.unknownSource, now)
      try target.run(
        """
        INSERT OR IGNORE INTO feed_definition (feed, text, every_seconds, currency)
        VALUES ($1, $2, $3, $4)
        """,
        [.text(name), .text(text), .number(row.findNumber(3)), .text(row.findText(4))])
    }
    // A database of an earlier version has no definitions.
    let isThere = Self.isThere("feed_definition", in: source)
    if !isWhole, isThere, !summary.unread.contains(.feeds) { summary.unread.append(.feeds) }
  }

  /// The source of a feed of which only the name is left. The next sync reads that of its definition.
  private static let unknownSource = "unknown"

  private mutating func insertFeed(
    _ name: String, source: String, _ subscribedAt: Int64, until unsubscribedAt: Int64? = nil,
    chosen: String? = nil, _ origin: SourceOrigin? = nil
  ) throws {
    summary.feeds += try target.run(
      """
      INSERT OR IGNORE INTO feed (
        name, source, subscribed_at, unsubscribed_at, chosen_source, source_origin)
      VALUES ($1, $2, $3, $4, $5, $6)
      """,
      [
        .text(name), .text(source), .number(subscribedAt), .number(unsubscribedAt), .text(chosen),
        .text(origin?.rawValue),
      ])
  }

  private mutating func copyFavorites() throws {
    let isWhole = try forEachRow(
      of: "favorite", "NOT INDEXED", key: ["user_key", "feed", "id"], ["created_at", "shared_at"]
    ) { row in
      try insertFavorite(row, of: 0, feed: 1, id: 2, row.number(3), sharedAt: row.findNumber(4))
    }
    if isWhole { return }
    summary.unread.append(.favorites)
    _ = try forEachRow(
      of: "favorite", "INDEXED BY favorite_by_sharing WHERE shared_at IS NOT NULL",
      key: ["feed", "id", "shared_at"], then: ["user_key"]
    ) { row in
      try insertFavorite(row, of: 3, feed: 0, id: 1, row.number(2), sharedAt: row.number(2))
    }
    _ = try forEachRow(
      of: "favorite", "INDEXED BY favorite_by_offer", key: ["feed", "id"], then: ["user_key"]
    ) { row in
      try insertFavorite(row, of: 2, feed: 0, id: 1, now, sharedAt: nil)
    }
  }

  /// Inserts a favorite, unless there is one. A user of whom nothing else is left gets a name by their number.
  private mutating func insertFavorite(
    _ row: any SQLRow, of user: Int, feed: Int, id: Int, _ createdAt: Int64, sharedAt: Int64?
  ) throws {
    let user = row.number(user)
    guard (1...Self.largestUser).contains(user), FeedName.isStored(row.text(feed)),
      let bytes = row.findUTF8(id), (1...OfferLimits.idBytes).contains(bytes.count),
      let id = String(validating: bytes, as: UTF8.self), StoredText.isStorable(id)
    else { return }
    for name in ["user \(user)", "user \(user) (lost)"] where !users.contains(user) {
      try insertUser(user, name, .viewer, now)
    }
    guard users.contains(user) else { return }
    summary.favorites += try target.run(
      """
      INSERT OR IGNORE INTO favorite (user_key, feed, id, created_at, shared_at)
      VALUES ($1, $2, $3, $4, $5)
      """,
      [
        .number(user), .text(row.text(feed)), .text(id), .number(createdAt), .number(sharedAt),
      ])
  }

  /// Calls `body` with the readable rows of a table, or of one of its indexes: up to the first unreadable
  /// page, then from the end back.
  ///
  /// - Parameters:
  ///   - clause: the index, with the condition that it needs.
  ///   - key: the first columns, by which the rows are sorted.
  ///   - suffix: the next columns, by which an index sorts rows that are equal in those.
  ///   - others: the last columns.
  /// - Returns: whether all rows were readable.
  private func forEachRow(
    of table: String, _ clause: String, key: [String], then suffix: [String] = [],
    _ others: [String] = [], _ body: (any SQLRow) throws -> Void
  ) throws -> Bool {
    guard Self.isThere(table, in: source) else { return false }
    let columns = key + suffix + others
    for direction in ["ASC", "DESC"] {
      let order = key.map { "\($0) \(direction)" }.joined(separator: ", ")
      let sql =
        "SELECT \(columns.joined(separator: ", ")) FROM \(table) \(clause) ORDER BY \(order)"
      // Without the index or a column, no row is readable.
      guard let rows = try? PreparedStatement(source, sql) else { return false }
      var last: [UInt8]?
      var left = limitBytes
      var goesOn = Result<Bool, any Error>.success(true)
      // An error of the scan means that the next row is unreadable, which is expected here.
      let isWhole: Void? = try? rows.scan { row in
        let key = Self.sortKey(row, (key + suffix).count)
        let (less, more) = direction == "ASC" ? (last, key) : (key, last)
        left -= columns.indices.reduce(1) { $0 + (row.findUTF8($1)?.count ?? 0) }
        goesOn = Result {
          if let less, let more, !less.lexicographicallyPrecedes(more) || left < 0 { return false }
          try body(row)
          last = key
          return true
        }
        return (try? goesOn.get()) ?? false
      }
      if try goesOn.get(), isWhole != nil { return true }
    }
    return false
  }

  /// Bytes that sort like the first columns of a row: numbers, and texts without U+0000.
  private static func sortKey(_ row: PreparedStatement, _ count: Int) -> [UInt8] {
    (0..<count).flatMap { column -> [UInt8] in
      if row.isText(column) { return [1] + (row.findUTF8(column).map { Array($0) } ?? []) + [0] }
      let number = UInt64(bitPattern: row.number(column)) ^ (1 << 63)
      return [0] + withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
  }
}
