import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

/// A database of a test, with all that a store has.
struct DatabaseHome: Sendable {
  let opened: OpenStore
  /// The store, bound to its owner.
  let store: OffersDatabase

  init(_ kind: StoreKind) async throws {
    opened = try await kind.open()
    store = opened.store
  }

  /// Syncs a feed, given all its current offers in order.
  @discardableResult
  func sync(
    _ offers: [FeedOffer], feed: String = "ibotta", at seconds: Int = 1000
  ) async throws -> SyncRun {
    try await store.sync(offers, feed: feed, at: seconds)
  }

  /// Adds favorites of the owner, whose offers need not be stored, with the times in Unix seconds.
  func star(_ favorites: [(ref: String, at: Int)]) async throws {
    var kept = MemoryExport()
    for (text, at) in favorites {
      var favorite = ExportedFavorite()
      favorite.ref = try #require(OfferRef(text))
      favorite.starredAt = Int64(at)
      kept.records.append(.favorite(favorite))
    }
    try await store.take(kept)
  }

  /// The events of an offer's history, such as `1000 new $1`.
  func history(_ id: String) async throws -> [String] {
    try await store.fetchHistory(named: id).points.map {
      "\(Int($0.at.timeIntervalSince1970)) \($0.event.rawValue) \($0.reward?.text ?? "-")"
    }
  }

  /// The exported document without the durations of syncs and the times at which users were added.
  func plainText() async throws -> String {
    try await store.exported().text().replacing(
      /"duration_milliseconds":\d+|"created_at":"[^"]*"/, with: "")
  }

  /// The feeds whose stored number of current offers is not that of the list.
  func miscounts() async throws -> [String] {
    var wrong: [String] = []
    for feed in try await store.fetchFeeds() {
      let listed = try await store.fetchOffers(OfferQuery(feed: feed.name, includesExpired: true))
        .count
      let gone = try await store.countOffers(OfferQuery(feed: feed.name, goneOnly: true))
      if feed.currentCount != listed || feed.goneCount != gone {
        wrong.append("\(feed.name): \(feed.currentCount) \(listed), \(feed.goneCount) \(gone)")
      }
    }
    return wrong
  }
}
