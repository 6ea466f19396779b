import GRDB
import OffersCore

/// The offers that a query selects, read piece by piece: not all of them are in memory, and between
/// the pieces nothing keeps a writer's log from being emptied.
///
/// In the feeds' order the next piece is looked up behind the last one. In all others the keys are
/// read at once, eight bytes an offer; what is cleared away meanwhile is left out.
package struct OfferPages: Sendable {
  private let database: OffersDatabase
  private var query: OfferQuery
  /// What was found and not yet read; empty before the first piece.
  private var keys: ArraySlice<Int64> = []
  private var lastKey: Int64?
  private var isAtEnd = false

  /// How many offers are read at a time.
  private static let pageSize = 500
  /// Most bytes of texts of a piece, unless a single offer has more.
  private static let pageBytes = 8 << 20

  init(_ query: OfferQuery, _ database: OffersDatabase) {
    self.query = query
    self.database = database
  }

  /// The next offers; none behind the last.
  ///
  /// - Throws: `OffersError` as `fetchOffers` does, with the first piece.
  package mutating func next() async throws -> [Offer] {
    var page: [Offer] = []
    while page.isEmpty && (!isAtEnd || !keys.isEmpty) {
      (page, self) = try await database.read { [self] database in
        var pages = self
        return (try pages.readPiece(in: database), pages)
      }
    }
    return page
  }

  private mutating func readPiece(in database: Database) throws -> [Offer] {
    if keys.isEmpty { try findKeys(in: database) }
    let (offers, count) = try OfferTable.page(
      keys: keys.prefix(Self.pageSize), maximumBytes: Self.pageBytes, in: database)
    keys = keys.dropFirst(count)
    return offers
  }

  private mutating func findKeys(in database: Database) throws {
    var piece = query
    let isStream = try OffersDatabase.keyQuery(query, in: database).isStream
    if isStream { piece.limit = min(Self.pageSize, query.limit ?? .max) }
    let found = try OffersDatabase.keyQuery(piece, behind: lastKey, in: database)
      .keys(in: database)
    keys = found[...]
    lastKey = found.last ?? lastKey
    // Those left out stand before the first piece.
    query.offset = 0
    query.limit = query.limit.map { $0 - found.count }
    isAtEnd = !isStream || found.count < Self.pageSize || query.limit == 0
  }
}

extension OffersDatabase {
  /// The selected offers, to be read piece by piece.
  package func pages(of query: OfferQuery) -> OfferPages { OfferPages(query, self) }
}
