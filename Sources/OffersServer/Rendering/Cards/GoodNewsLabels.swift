import Foundation
import OffersCore

/// The good news of the last days, by offer: that it is new, or that it pays more or costs less than
/// before. Cards show it as a label.
struct GoodNewsLabels: Sendable {
  private struct Item: Sendable {
    let kind: OfferChange.Kind
    let at: Date
  }
  private let items: [OfferRef: Item]

  /// How many days a change is shown as news, and an end ahead as one that is near. Scripts get the
  /// number from here, to hide older labels of stored pages.
  static let days = 3
  /// The size of a text in the changes that are read, of which none is shown.
  private static let textBytes = 64

  /// - Parameters:
  ///   - offers: the offers that the page shows.
  ///   - store: the store of their changes.
  ///   - now: the present time, up to which the last days count.
  init(of offers: [Offer], in store: any ChangeRepository, at now: Date) async throws {
    var changes: [OfferChange] = []
    if !offers.isEmpty {
      let start = now.addingTimeInterval(-Double(Self.days) * 86_400)
      var query = ChangeQuery(since: start, kinds: [.up, .down], now: now)
      // Changes of this kind cannot be looked up by their offers alone.
      if offers.contains(where: { $0.firstSeenAt >= start }) { query.kinds?.insert(.new) }
      query.textBytes = Self.textBytes
      query.offers = Set(offers.map(\.ref))
      changes = try await store.fetchChanges(query).changes
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
