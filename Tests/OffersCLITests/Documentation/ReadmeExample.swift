// The README contains the lines between the two markers verbatim.
// README begins
import Offers

/// The state of a screen: the stored offers at once, and what other tasks and programs bring.
actor OffersScreen {
  private let database: OffersDatabase
  private(set) var offers: [UserOffer] = []
  init(_ database: OffersDatabase) { self.database = database }  // OffersDatabase.open(at: file)

  /// Reads the disk only, so it works offline.
  func load() async throws { offers = try await database.fetchOffers(OfferQuery(limit: 50)) }

  /// Reads the page after the last offer.
  func loadMore() async throws {
    let last = offers.last.map { OfferPosition($0.offer.ref) }
    offers += try await database.fetchOffers(OfferQuery(limit: 50, after: last))
  }

  /// Loads again after each commit, but not after one of a picture only, until the task is cancelled.
  func follow() async throws {
    for await commit in database.commits where commit.concernsOffers { try await load() }
  }

  /// Finds by any words, best first; `hit.ranges(in: .name)` are the words to highlight in a name.
  func find(_ words: String) async throws {
    offers = try await database.search(SearchQuery(words)).hits.map(\.offer)
  }

  func toggleStar(of offer: UserOffer) async throws {
    try await database.setFavorites([offer.ref], to: !offer.isFavorite)
  }

  /// Throws the reason if it fails. Removals that wait for a second document are in its `held`.
  func refresh(from source: SyncSource) async throws -> SyncRun {
    try await SyncEngine(store: database).sync("ibotta", options: SyncOptions(source: source))
  }
}
// README ends
