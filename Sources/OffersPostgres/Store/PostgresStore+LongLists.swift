import OffersCore
import OffersStore

extension PostgresStore: LongListRepository {
  package func pages(of query: OfferQuery) -> any OfferPages { KeyedOfferPages(query, self) }
}

/// The offers that a query selects, read page by page. All keys are read first, 8 bytes an offer, so
/// that no transaction stays open between two pages.
private struct KeyedOfferPages: OfferPages {
  private let query: OfferQuery
  private let store: PostgresStore
  /// The keys that are not read yet; nil before the first page.
  private var keys: ArraySlice<Int64>?

  init(_ query: OfferQuery, _ store: PostgresStore) {
    self.query = query
    self.store = store
  }

  mutating func next() async throws -> [UserOffer] {
    var page: [UserOffer] = []
    while page.isEmpty && keys?.isEmpty != true {
      (page, keys) = try await store.database.read { [query, keys, user = store.user] connection in
        let left = try keys ?? Self.findKeys(query, of: user, in: connection)[...]
        let page = try OfferTable.list(
          keys: Array(left.prefix(OfferPage.size)), of: user, in: PostgresTransaction(connection))
        let offers = page.map { stored in
          query.textBytes.map { stored.offer.abridged(toBytes: $0) } ?? stored.offer
        }
        return (offers, left.dropFirst(OfferPage.size))
      }
    }
    return page
  }

  private static func findKeys(
    _ query: OfferQuery, of user: User.ID, in connection: Connection
  ) throws -> [Int64] {
    try SelectedOffers(query, of: user, in: connection).readKeys(
      offset: max(0, query.offset), limit: query.limit.map { max(0, $0) }, in: connection)
  }
}
