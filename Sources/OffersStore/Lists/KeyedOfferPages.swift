import OffersCore

/// The offers that a query selects, read page by page, so that not all are in memory and no read
/// transaction stays open between pages: one would keep a file's log from being truncated, and a server
/// from removing old rows.
///
/// If `SelectedOffers.isStream`, the next page is looked up by the last key. Otherwise all keys are
/// read at once, 8 bytes an offer; offers that are removed before their page is read are omitted.
struct KeyedOfferPages: OfferPages {
  private let store: any SQLStore
  private var query: OfferQuery
  /// The keys found and not yet read; empty before the first page.
  private var keys: ArraySlice<Int64> = []
  private var lastKey: Int64?
  private var isAtEnd = false

  /// The maximum size of a page's texts in bytes, unless a single offer is larger.
  private static let pageBytes = 8 << 20

  init(_ query: OfferQuery, _ store: any SQLStore) {
    self.query = query
    self.store = store
  }

  mutating func next() async throws -> [UserOffer] {
    var page: [UserOffer] = []
    while page.isEmpty && (!isAtEnd || !keys.isEmpty) {
      (page, self) = try await store.transaction(.read) { [self] transaction in
        var pages = self
        return (try pages.readPiece(in: transaction), pages)
      }
    }
    return page
  }

  private mutating func readPiece(in transaction: any Transaction) throws -> [UserOffer] {
    if keys.isEmpty { try findKeys(in: transaction) }
    let (offers, count) = try OfferTable.page(
      keys: keys.prefix(OfferPage.size), of: store.user, maximumBytes: Self.pageBytes,
      textBytes: query.textBytes, in: transaction)
    keys = keys.dropFirst(count)
    return offers
  }

  private mutating func findKeys(in transaction: any Transaction) throws {
    let selected = try store.selectOffers(query, behind: lastKey, in: transaction)
    let limit = query.limit.map { max(0, $0) }
    let pieceLimit = selected.isStream ? min(OfferPage.size, limit ?? .max) : limit
    let found = try selected.keys(
      offset: max(0, query.offset), limit: pieceLimit, in: transaction)
    keys = found[...]
    lastKey = found.last ?? lastKey
    // The offset applies to the first page only.
    query.offset = 0
    query.limit = limit.map { $0 - found.count }
    isAtEnd = !selected.isStream || found.count < OfferPage.size || query.limit == 0
  }
}
