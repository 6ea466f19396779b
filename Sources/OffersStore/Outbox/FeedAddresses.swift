import Foundation
import OffersCore

extension OffersDatabase {
  /// A text of random hexadecimal digits that tells this database from others. It is made with the database, and stays
  /// when its data is migrated to another one.
  package func fetchIdentity() async throws(OffersError) -> String {
    try await transaction(.query) { try StoreIdentity.fetch(in: $0) }
  }

  /// The addresses of the user in the order in which they were added.
  public func fetchFeedAddresses() async throws(OffersError) -> [FeedAddress] {
    try await transaction(.query) { [user] in try FeedAddressTable.list(of: user, in: $0) }
  }

  /// The address with the SHA-256 of a secret, of any user; nil if there is none.
  package func findFeedAddress(hash: [UInt8]) async throws(OffersError) -> FeedAddress? {
    try await transaction(.query) { try FeedAddressTable.find(hash: hash, in: $0) }
  }

  /// Adds an address of the user, durably.
  ///
  /// - Parameters:
  ///   - subject: of what it tells. A watch or a feed must exist.
  ///   - hash: the SHA-256 of its secret, 32 bytes.
  ///   - now: the present time.
  /// - Throws: `OffersError`: `notFound` for a watch that the user does not have or an unknown feed, `invalidRequest` for
  ///   too many addresses.
  package func addFeedAddress(
    of subject: FeedAddress.Subject, hash: [UInt8], now: Date = Date()
  ) async throws(OffersError) -> FeedAddress {
    try await transaction(.write) { [user] transaction in
      try UserTable.check(user, isExclusive: true, in: transaction)
      switch subject {
      case .news: break
      case .watch(let id):
        guard try FeedAddressTable.hasWatch(id, of: user, in: transaction) else {
          throw OffersError(
            .notFound, "There is no watch \(id).",
            hint: Hint("List them.", command: "offers watch list"))
        }
      case .feed(let name): _ = try FeedTable.fetchReadKey(name, nil, in: transaction)
      }
      return try FeedAddressTable.insert(subject, hash: hash, of: user, at: now, in: transaction)
    }
  }

  /// Removes an address of the user, durably. It answers nothing any more.
  ///
  /// - Throws: `OffersError` with `notFound`.
  public func removeFeedAddress(_ id: FeedAddress.ID) async throws(OffersError) {
    let wasThere = try await transaction(.write) { [user] in
      try FeedAddressTable.remove(id, of: user, in: $0)
    }
    if wasThere { return }
    throw OffersError(
      .notFound, "There is no address \(id).",
      hint: Hint("List them.", command: "offers notices addresses"))
  }

  /// Records that an address was read, at most once an hour. Does not wait for the write, which may fail or be lost.
  package func noteFeedAddress(_ address: FeedAddress, usedAt now: Date) {
    if let last = address.lastUsedAt, now.timeIntervalSince(last) < 3600 { return }
    writeLater { try FeedAddressTable.note(address.id, usedAt: now, in: $0) }
  }
}

/// The SQL for addresses of feeds.
enum FeedAddressTable {
  private static let columns = "address_key, user_key, subject, created_at, last_used_at"

  /// An address of a newer program tells nothing.
  private static func address(_ row: any SQLRow) -> FeedAddress? {
    FeedAddress.Subject(parsing: row.text(2)).map { subject in
      FeedAddress(
        id: row.number(0), user: row.number(1), subject: subject, createdAt: row.date(3),
        lastUsedAt: row.findDate(4))
    }
  }

  static func list(of user: User.ID, in transaction: any Transaction) throws -> [FeedAddress] {
    try transaction.rows(
      "SELECT \(columns) FROM feed_address WHERE user_key = $1 ORDER BY address_key",
      [.number(user)], address
    ).compactMap(\.self)
  }

  static func find(hash: [UInt8], in transaction: any Transaction) throws -> FeedAddress? {
    try transaction.first(
      "SELECT \(columns) FROM feed_address WHERE hash = $1", [.bytes(hash)], isFrequent: true,
      address
    ).flatMap(\.self)
  }

  static func insert(
    _ subject: FeedAddress.Subject, hash: [UInt8], of user: User.ID, at now: Date,
    in transaction: any Transaction
  ) throws -> FeedAddress {
    if try list(of: user, in: transaction).count >= FeedAddress.limit {
      throw OffersError(
        .invalidRequest, "A user has at most \(FeedAddress.limit) addresses.",
        hint: Hint("Revoke one.", command: "offers notices revoke NUMBER"))
    }
    let id = try transaction.first(
      """
      INSERT INTO feed_address (user_key, subject, hash, created_at)
      VALUES ($1, $2, $3, $4) RETURNING address_key
      """, [.number(user), .text(subject.description), .bytes(hash), .date(now)]
    ) { $0.number(0) }
    return FeedAddress(
      id: id ?? 0, user: user, subject: subject, createdAt: now, lastUsedAt: nil)
  }

  static func hasWatch(
    _ id: Watch.ID, of user: User.ID, in transaction: any Transaction
  ) throws -> Bool {
    try transaction.exists(
      "SELECT 1 FROM watch WHERE user_key = $1 AND watch_key = $2", [.number(user), .number(id)])
  }

  /// Removes an address of a user. Returns whether there was one.
  static func remove(
    _ id: FeedAddress.ID, of user: User.ID, in transaction: any Transaction
  ) throws -> Bool {
    try transaction.run(
      "DELETE FROM feed_address WHERE user_key = $1 AND address_key = $2",
      [.number(user), .number(id)]) > 0
  }

  static func note(
    _ id: FeedAddress.ID, usedAt: Date, in transaction: any Transaction
  ) throws {
    try transaction.run(
      """
      UPDATE feed_address SET last_used_at = $1
      WHERE address_key = $2 AND (last_used_at IS NULL OR last_used_at < $1)
      """, [.date(usedAt), .number(id)])
  }
}

/// The SQL for the identity of a database.
enum StoreIdentity {
  /// A damaged file may have any text, of which letters and digits are kept.
  static func fetch(in transaction: any Transaction) throws -> String {
    let text = try transaction.first("SELECT identity FROM store_identity") { $0.text(0) } ?? ""
    return String(decoding: text.utf8.filter(ASCII.isLetterOrDigit).prefix(64), as: UTF8.self)
  }

  static func put(_ identity: String, in transaction: any Transaction) throws {
    if identity.isEmpty { return }
    try transaction.run("UPDATE store_identity SET identity = $1", [.text(identity)])
  }
}
