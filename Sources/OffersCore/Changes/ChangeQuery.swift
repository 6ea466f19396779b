import Foundation

/// Selects changes, ordered from the oldest to the newest.
public struct ChangeQuery: Hashable, Sendable {
  /// Only changes at this time or later; nil for all. Recorded changes are selected by `afterID`
  /// alone when it is set, because a sync that began before this time may have committed after it.
  public var since: Date?
  /// Only recorded changes after this one; nil for all.
  public var afterID: Int64?
  /// Only changes of favorites. The first sync of a feed is none.
  public var favoritesOnly: Bool
  /// Only changes of these kinds; nil for all.
  public var kinds: Set<OfferChange.Kind>?
  /// Only changes of this feed; nil for all.
  public var feed: String?
  /// The maximum number of changes. Of the recorded ones, those that were recorded last are selected,
  /// or by `OffersDatabase.fetchChangePage(_:)` those that were recorded first. Nil for all.
  public var limit: Int?
  /// The current time, which determines the offers that are expiring.
  public var now: Date
  /// Only expiring offers after this position: `lastExpiring` of the previous page. Nil for all.
  package var afterExpiring: ExpiringPosition?
  /// The size to which the texts of offers and rewards are truncated, in bytes of UTF-8, under the
  /// rules of `OfferQuery.textBytes`. Nil for whole offers.
  public var textBytes: Int?
  /// Only changes of these offers, without the first sync of a feed; nil for all. Few, such as those of a
  /// page: each is looked up.
  package var offers: Set<OfferRef>?

  /// Creates a query. Without arguments it selects all changes.
  public init(
    since: Date? = nil, afterID: Int64? = nil, favoritesOnly: Bool = false,
    kinds: Set<OfferChange.Kind>? = nil, feed: String? = nil, limit: Int? = nil, now: Date
  ) {
    self.since = since
    self.afterID = afterID
    self.favoritesOnly = favoritesOnly
    self.kinds = kinds
    self.feed = feed
    self.limit = limit
    self.now = now
  }
}

/// A position in the list of expiring offers: the cursor of the next page.
package struct ExpiringPosition: Hashable, Sendable {
  /// When the offer's last 48 hours began.
  package let at: Date
  /// The store's key of the offer.
  package let offerKey: Int64

  /// Creates a position of its parts; the properties describe them.
  package init(at: Date, offerKey: Int64) {
    self.at = at
    self.offerKey = offerKey
  }
}

/// A page of changes, oldest first.
package struct ChangePage: Hashable, Sendable {
  /// The recorded changes in their order, then the expiring offers.
  package let changes: [OfferChange]
  /// The id of the recorded change after which the next page begins.
  package let lastID: Int64
  /// Whether there is a next page. Expiring offers are listed after the last recorded change, if
  /// necessary on several pages.
  package let hasMore: Bool
  /// The expiring offer after which the next page begins; nil while recorded changes remain, and on
  /// the last page.
  package let lastExpiring: ExpiringPosition?

  /// Creates a change page of its parts; the properties describe them.
  package init(
    changes: [OfferChange], lastID: Int64, hasMore: Bool, lastExpiring: ExpiringPosition? = nil
  ) {
    self.changes = changes
    self.lastID = lastID
    self.hasMore = hasMore
    self.lastExpiring = lastExpiring
  }
}

/// The filters of a reader of changes. A reader who reads with filters has a mark for each selection, so that
/// only what was shown counts as read.
package struct ChangeSelection: Hashable, Sendable {
  package let favoritesOnly: Bool
  package let feed: String?
  package let kinds: Set<OfferChange.Kind>?

  /// The filters of a query.
  package init(of query: ChangeQuery) {
    favoritesOnly = query.favoritesOnly
    feed = query.feed
    kinds = query.kinds
  }

  /// Separates the parts of a mark's name. A name of a reader has no control character by custom.
  private static let separator: Unicode.Scalar = "\u{1F}"

  /// The selection whose mark has a name; nil if it is not a mark of the reader.
  package init?(markNamed name: String, of reader: String) {
    let parts = name.split(scalar: Self.separator, omittingEmptySubsequences: false)
    guard parts.first.map(String.init) == reader else { return nil }
    if parts.count == 1 {
      (favoritesOnly, feed, kinds) = (false, nil, nil)
      return
    }
    guard parts.count == 4 else { return nil }
    favoritesOnly = !parts[1].isEmpty
    feed = parts[2].isEmpty ? nil : String(parts[2])
    let words = parts[3].split(scalar: ",").map { OfferChange.Kind(rawValue: String($0)) }
    kinds = words.isEmpty ? nil : Set(words.compactMap(\.self))
  }

  /// The name of a reader's mark for the selection: that of the reader alone for all changes.
  package func markName(of reader: String) -> String {
    guard favoritesOnly || feed != nil || kinds != nil else { return reader }
    let words = (kinds ?? []).map(\.rawValue).sorted().joined(separator: ",")
    return [reader, favoritesOnly ? "favorites" : "", feed ?? "", words]
      .joined(separator: String(Self.separator))
  }
}

/// A reader's position in the recorded changes.
package struct ReaderMark: Hashable, Sendable {
  /// The id of the newest change that was read; 0 for none.
  package let changeID: Int64
  /// When the reader last read the news.
  package let readAt: Date

  /// The name of the mark of the page of notices, whose number is that of a notice. It is no mark of a reader of
  /// changes, and is not exported.
  package static let ofNotices = "page\u{1F}notices"

  /// Creates a reader mark of its parts; the properties describe them.
  package init(changeID: Int64, readAt: Date) {
    self.changeID = changeID
    self.readAt = readAt
  }
}
