import GRDB
import OffersCore

/// The favorites that can still be read. They are read first and from both ends; what lies between
/// two damaged pages is asked for by the offers that were read.
struct SalvagedFavorites {
  private let database: Database
  /// They look up one from below and from above: a row may stand beside a damaged page, and only
  /// one of the two ways to it leads over that.
  private let lookUps: [RawStatement]
  /// By feed and id, byte for byte, as the table tells them apart.
  private var found: [[UInt8]: ExportedFavorite] = [:]
  private(set) var feeds: Set<String> = []
  /// Whether some could not be read.
  private(set) var isCut = false

  init(_ database: Database) {
    self.database = database
    lookUps = [("<=", "DESC"), (">=", "ASC")].compactMap { comparison, direction in
      // A table that is not there has none, which reading it finds.
      try? RawStatement(
        database,
        """
        SELECT \(ExportedFavorite.columns) FROM favorite
        WHERE feed = ?1 AND id \(comparison) ?2 ORDER BY id \(direction) LIMIT 1
        """)
    }
  }

  mutating func read() {
    if readAll("ASC") { return }
    isCut = true
    _ = readAll("DESC")
  }

  /// Reads on to the damage, or to the end.
  ///
  /// - Returns: whether it came to the end.
  private mutating func readAll(_ direction: String) -> Bool {
    let sql = """
      SELECT \(ExportedFavorite.columns) FROM favorite ORDER BY feed \(direction), id \(direction)
      """
    // What fails here cannot be read, which is what this is for.
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

  /// Looks whether an offer is one.
  mutating func find(_ ref: OfferRef) {
    if contains(ref) { return }
    for row in lookUps {
      defer { row.reset() }
      row.bind(1, copying: ref.feed)
      row.bind(2, copying: ref.id)
      // Nor does it matter here why it cannot be read. A neighbour that is met is one as well.
      if (try? row.step()) == true { note(ExportedFavorite(row)) }
    }
  }

  func contains(_ ref: OfferRef) -> Bool { found[Self.key(ref)] != nil }

  private static func key(_ ref: OfferRef) -> [UInt8] {
    Array(ref.feed.utf8) + [0] + Array(ref.id.utf8)
  }

  /// In the order of an export.
  var all: [ExportedFavorite] {
    found.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }
}
