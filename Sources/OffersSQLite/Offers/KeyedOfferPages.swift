import GRDB
import OffersCore
import OffersStore

/// The offers that a query selects, read page by page, so that not all are in memory and no read
/// transaction stays open between pages, which would keep the log from being truncated.
///
/// If `OfferKeyQuery.isStream`, the next page is looked up by the last key. Otherwise all keys are
/// read at once, 8 bytes per offer; offers that are removed before their page is read are omitted.
struct KeyedOfferPages: OfferPages {
  private let database: OffersDatabase
  private var query: OfferQuery
  /// The keys found and not yet read; empty before the first page.
  private var keys: ArraySlice<Int64> = []
  private var lastKey: Int64?
  private var isAtEnd = false

  /// The maximum number of offers per page.
  private static let pageSize = OfferPage.size
  /// The maximum size of a page's texts in bytes, unless a single offer is larger.
  private static let pageBytes = 8 << 20

  init(_ query: OfferQuery, _ database: OffersDatabase) {
    self.query = query
    self.database = database
  }

  mutating func next() async throws -> [UserOffer] {
    var page: [UserOffer] = []
    while page.isEmpty && (!isAtEnd || !keys.isEmpty) {
      (page, self) = try await database.read { [self] database in
        var pages = self
        return (try pages.readPiece(in: database), pages)
      }
    }
    return page
  }

  private mutating func readPiece(in connection: Database) throws -> [UserOffer] {
    if keys.isEmpty { try findKeys(in: connection) }
    let (offers, count) = try OfferTable.page(
      keys: keys.prefix(Self.pageSize), of: database.user, maximumBytes: Self.pageBytes,
      textBytes: query.textBytes,
      in: connection)
    keys = keys.dropFirst(count)
    return offers
  }

  private mutating func findKeys(in database: Database) throws {
    var piece = query
    let definitions = self.database.definitions
    let isStream = try OffersDatabase.keyQuery(
      query, of: self.database.user, definitions, in: database
    ).isStream
    if isStream { piece.limit = min(Self.pageSize, query.limit ?? .max) }
    let found = try OffersDatabase.keyQuery(
      piece, of: self.database.user, behind: lastKey, definitions, in: database
    )
    .keys(in: database)
    keys = found[...]
    lastKey = found.last ?? lastKey
    // The offset applies to the first page only.
    query.offset = 0
    query.limit = query.limit.map { $0 - found.count }
    isAtEnd = !isStream || found.count < Self.pageSize || query.limit == 0
  }
}
