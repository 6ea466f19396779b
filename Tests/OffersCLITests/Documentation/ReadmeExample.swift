// The README contains the lines between the two markers verbatim.
// README begins
import Offers

/// The state of a screen: the stored offers at once, and what a refresh brings.
actor OffersScreen {
  private let database: OffersDatabase
  private(set) var offers: [UserOffer] = []
  init(_ database: OffersDatabase) { self.database = database }  // OffersDatabase.open(at: file)

  /// Reads the disk only, so it works offline.
  func load() async throws { offers = try await database.fetchOffers(OfferQuery(limit: 50)) }

  /// Finds by any words, best first; `hit.ranges(in: .name)` are the words to highlight in a name.
  func find(_ words: String) async throws {
    offers = try await database.search(SearchQuery(words)).hits.map(\.offer)
  }

  func toggleStar(of offer: UserOffer) async throws {
    try await database.setFavorites([offer.ref], to: !offer.isFavorite)
    try await load()
  }

  /// Throws the reason if it fails. Removals that wait for a second document are in its `held`.
  func refresh(from source: SyncSource) async throws -> SyncRun {
    let options = SyncOptions(source: source)
    do {
      let run = try await SyncEngine(store: database).sync("ibotta", options: options)
      try await load()
      return run
    } catch {
      try await load()
      throw error
    }
  }
}
// README ends
