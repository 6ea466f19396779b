import Foundation
import OffersCore

/// The good news of the last days, by offer: that it is new, or that it pays more or costs less than
/// before. Cards show it as a label.
struct RecentNews: Sendable {
  private struct Item: Sendable {
    let kind: OfferChange.Kind
    let at: Date
  }
  private let items: [OfferRef: Item]

  /// How long a change is shown as news, in seconds. Scripts hide older labels of stored pages.
  private static let seconds: TimeInterval = 3 * 86_400
  /// The most changes that are read, and the size of a text in them, of which none is shown.
  private static let limit = 500
  private static let textBytes = 64

  /// - Parameters:
  ///   - feed: the feed whose offers the page shows; nil for all.
  ///   - favoritesOnly: whether it shows favorites only.
  init(from source: PageSource, feed: String? = nil, favoritesOnly: Bool = false) async throws {
    let now = source.now
    var query = ChangeQuery(
      since: now.addingTimeInterval(-Self.seconds), kinds: [.new, .up, .down], feed: feed,
      limit: Self.limit, now: now)
    query.textBytes = Self.textBytes
    query.favoritesOnly = favoritesOnly
    var changes: [OfferChange] = []
    do {
      changes = try await source.store.fetchChanges(query).changes
    } catch let error as OffersError where error.code == .notFound {
      // The store does not know a feed that was never synced.
    }
    items = Dictionary(
      changes.compactMap { change in
        change.offer.map { ($0.ref, Item(kind: change.kind, at: change.at)) }
      }, uniquingKeysWith: { $1 })
  }

  /// The fields of the label of an offer; nil for no news, and for bad ones.
  func fields(of ref: OfferRef, _ presentation: FeedPresentation) -> PageFields? {
    guard let item = items[ref] else { return nil }
    let isPrice = presentation.valueRole == .price
    let words: (kind: String, label: String)
    switch item.kind {
    case .new: words = ("new", "New")
    case .up where !isPrice: words = ("up", "Went up")
    case .down where isPrice: words = ("up", "Price down")
    default: return nil
    }
    return PageFields { fields in
      fields.set("newsKind", words.kind)
      fields.set("newsLabel", words.label)
      fields.set("newsAt", time: item.at)
    }
  }
}
