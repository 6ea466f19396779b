import GRDB
import OffersCore

/// The readable favorites of the owner. They are read from the first one on and, if a page is
/// damaged, from the last one back. Those between two damaged pages are found only by looking up
/// readable offers with `find(_:)`.
struct SalvagedFavorites {
  private let database: Database
  /// A condition that a favorite is the owner's. A damaged file is not migrated, and before schema
  /// version 20 all favorites were the owner's.
  private let isOwners: String
  /// Look up a favorite from below and from above: next to a damaged page, only one of the two
  /// paths through the b-tree avoids that page.
  private let lookUps: [RawStatement]
  /// The favorites by the UTF-8 of feed and id, compared byte by byte as the table does.
  private var found: [[UInt8]: ExportedFavorite] = [:]
  private(set) var feeds: Set<String> = []
  /// Whether some favorites were unreadable.
  private(set) var isCut = false

  init(_ database: Database) {
    self.database = database
    // A missing table has no favorites; `read` reports it.
    let hasUsers = (try? RawStatement(database, "SELECT user_key FROM favorite")) != nil
    let isOwners = hasUsers ? "user_key = \(User.ownerID)" : "true"
    self.isOwners = isOwners
    lookUps = [("<=", "DESC"), (">=", "ASC")].compactMap { comparison, direction in
      try? RawStatement(
        database,
        """
        SELECT \(ExportedFavorite.columns) FROM favorite
        WHERE \(isOwners) AND feed = ?1 AND id \(comparison) ?2
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
      SELECT \(ExportedFavorite.columns) FROM favorite
      WHERE \(isOwners) ORDER BY feed \(direction), id \(direction)
      """
    // An error means that the row is unreadable, which is expected here.
    guard let rows = try? RawStatement(database, sql) else { return false }
    defer { rows.reset() }
    while let hasRow = try? rows.step() {
      guard hasRow else { return true }
      note(ExportedFavorite(rows))
    }
    return false
  }

  private mutating func note(_ favorite: ExportedFavorite) {
    found[Self.key(favorite.ref)] = favorite
    feeds.insert(favorite.ref.feed)
  }

  /// Looks up whether an offer is a favorite.
  mutating func find(_ ref: OfferRef) {
    if contains(ref) { return }
    for row in lookUps {
      defer { row.reset() }
      row.bind(1, copying: ref.feed)
      row.bind(2, copying: ref.offerID)
      // The kind of error does not matter. The row may be a neighbour, which is a favorite as well.
      if (try? row.step()) == true { note(ExportedFavorite(row)) }
    }
  }

  func contains(_ ref: OfferRef) -> Bool { found[Self.key(ref)] != nil }

  private static func key(_ ref: OfferRef) -> [UInt8] {
    Array(ref.feed.utf8) + [0] + Array(ref.offerID.utf8)
  }

  /// All favorites found, in the order of an export.
  var all: [ExportedFavorite] {
    found.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }
}
