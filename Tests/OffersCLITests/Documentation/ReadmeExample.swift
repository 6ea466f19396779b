// The README contains the lines between the two markers verbatim.
// README begins
import Foundation
import Offers

/// Reads a feed, stars the best match for “tea”, and returns the first 50 offers.
func starTea(in file: URL, from source: SyncSource) async throws -> [UserOffer] {
  let database = try await OffersDatabase.open(at: file)
  let engine = SyncEngine(store: database)
  // The only line that waits for the network.
  _ = try await engine.sync("ibotta", options: SyncOptions(source: source))
  let best = try await database.search(SearchQuery("tea")).hits.first
  if let best { try await database.setFavorites([best.offer.ref], to: true) }
  return try await database.fetchOffers(OfferQuery(limit: 50))
}
// README ends
