import Foundation

/// The favorites of a user that are gone from their feeds, to recognize new offers that are probably the
/// same offer under another id.
package struct LostFavorites {
  /// A feed, a name and a description, which identify a returned offer. Compared byte by byte, because
  /// Swift's `String` treats canonically equivalent texts as equal.
  private struct Look: Hashable {
    let feed: String
    let name: [UInt8]
    let description: [UInt8]?

    init(feed: String, name: String, description: String?) {
      self.feed = feed
      self.name = Array(name.utf8)
      self.description = description.map { Array($0.utf8) }
    }
  }

  private var lost: [Look: [(ref: OfferRef, goneAt: Date)]] = [:]

  /// The maximum age of a successor at the time when the favorite vanished, in seconds.
  package static let successorSeconds: Int64 = 30 * 86_400
  /// The maximum number of returned favorites that a run reports.
  package static let returnedLimit = 20

  package init() {}

  package var isEmpty: Bool { lost.isEmpty }

  /// Adds a favorite. They are added in ascending order of their feeds and ids.
  package mutating func add(_ ref: OfferRef, name: String, description: String?, goneAt: Date) {
    let look = Look(feed: ref.feed, name: name, description: description)
    lost[look, default: []].append((ref, goneAt))
  }

  package func names(in feed: String) -> [String] {
    lost.keys.filter { $0.feed == feed }.map { String(decoding: $0.name, as: UTF8.self) }
  }

  package var names: [String] {
    Set(lost.keys.map(\.name)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The gone favorite that an offer probably replaces: one of the same feed, name and description
  /// that was gone when the offer was first seen. Nil for an offer that is a favorite itself.
  package func find(_ offer: UserOffer) -> OfferRef? {
    if lost.isEmpty || offer.isFavorite { return nil }
    let look = Look(feed: offer.ref.feed, name: offer.name, description: offer.description)
    return lost[look]?.first { $0.goneAt <= offer.firstSeenAt }?.ref
  }

  /// The first gone favorite with the feed, the name and the description of a new offer, together with
  /// the offer.
  package func findReturned(
    _ offer: OfferRef, name: String, description: String?
  ) -> FavoriteSuccessor? {
    lost[Look(feed: offer.feed, name: name, description: description)]?.first.map {
      FavoriteSuccessor(favorite: $0.ref, offer: offer, name: name)
    }
  }
}
