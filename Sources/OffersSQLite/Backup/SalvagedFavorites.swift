import GRDB
import OffersCore

/// The readable favorites of all users. They are read from the first one on and, if a page is
/// damaged, from the last one back. Those between two damaged pages are found only by looking up
/// readable offers with `find(_:of:)`.
struct SalvagedFavorites {
  private let database: Database
  private static let columns = "user_key, feed, id, created_at, shared_at"
  /// Look up a favorite from below and from above: next to a damaged page, only one of the two
  /// paths through the b-tree avoids that page.
  private let lookUps: [RawStatement]
  /// The favorites of each user by the UTF-8 of feed and id, compared byte by byte as the table does.
  private var found: [User.ID: [[UInt8]: ExportedFavorite]] = [:]
  private(set) var feeds: Set<String> = []
  /// Whether some favorites were unreadable.
  private(set) var isCut = false

  init(_ database: Database) {
    self.database = database
    // A missing table has no favorites; `read` reports it.
    lookUps = [("<=", "DESC"), (">=", "ASC")].compactMap { comparison, direction in
      try? RawStatement(
        database,
        """
        SELECT \(Self.columns) FROM favorite
        WHERE user_key = ?1 AND feed = ?2 AND id \(comparison) ?3
        ORDER BY id \(direction) LIMIT 1
        """)
    }
  }

  mutating func read() {
    if readAll("ASC") { return }
    isCut = true
    _ = readAll("DESC")
  }

  /// Reads until a damaged page or the end.
  ///
  /// - Returns: whether the end was reached.
  private mutating func readAll(_ direction: String) -> Bool {
    let sql = """
      SELECT \(Self.columns) FROM favorite
      ORDER BY user_key \(direction), feed \(direction), id \(direction)
      """
    // An error means that the row is unreadable, which is expected here.
    guard let rows = try? RawStatement(database, sql) else { return false }
    defer { rows.reset() }
    while let hasRow = try? rows.step() {
      guard hasRow else { return true }
      note(rows)
    }
    return false
  }

  private mutating func note(_ row: RawStatement) {
    var favorite = ExportedFavorite()
    favorite.ref = OfferRef(feed: row.text(1), offerID: row.text(2))
    favorite.starredAt = row.number(3)
    favorite.sharedAt = row.findNumber(4)
    found[row.number(0), default: [:]][Self.key(favorite.ref)] = favorite
    feeds.insert(favorite.ref.feed)
  }

  /// Looks up whether an offer is a favorite of some users.
  mutating func find(_ ref: OfferRef, of users: some Sequence<User.ID>) {
    let key = Self.key(ref)
    for user in users where found[user]?[key] == nil {
      for row in lookUps {
        defer { row.reset() }
        row.bind(1, user)
        row.bind(2, copying: ref.feed)
        row.bind(3, copying: ref.offerID)
        // The kind of error does not matter. The row may be a neighbour, which is a favorite as well.
        if (try? row.step()) == true { note(row) }
      }
    }
  }

  /// Whether an offer is a favorite of any user.
  func contains(_ ref: OfferRef) -> Bool {
    let key = Self.key(ref)
    return found.values.contains { $0[key] != nil }
  }

  private static func key(_ ref: OfferRef) -> [UInt8] {
    Array(ref.feed.utf8) + [0] + Array(ref.offerID.utf8)
  }

  /// The keys of the users with favorites.
  var users: Set<User.ID> { Set(found.keys) }

  /// The favorites of a user, in the order of an export.
  func all(of user: User.ID) -> [ExportedFavorite] {
    (found[user] ?? [:]).sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }
}
