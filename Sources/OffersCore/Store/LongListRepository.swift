import Foundation

/// Reads lists that do not fit in memory, part by part. A call that is cancelled throws
/// `CancellationError`.
package protocol LongListRepository: Sendable {
  /// The offers that a query selects, to be read page by page. Nothing is read before the first page.
  func pages(of query: OfferQuery) -> any OfferPages

  /// The changes that a query selects, oldest first, to be read in parts.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  func selectChanges(_ query: ChangeQuery) async throws -> any LongChangeList

  /// The changes that a query selects and a reader has not read, oldest first: neither all changes up to a
  /// mark, nor those that were shown to it with other filters. Those of a reader without a mark begin
  /// `News.firstReadSeconds` ago. The query's `since` and `afterID` are ignored.
  ///
  /// - Returns: the list, and the time since which it has the changes.
  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  func selectUnread(
    _ query: ChangeQuery, by reader: String
  ) async throws -> (list: any LongChangeList, since: Date)
}

/// The offers of a long list, read page by page. Between two pages the list uses no resource of the
/// store. Offers that are removed before their page is read are omitted.
package protocol OfferPages: Sendable {
  /// The next page, of at most `OfferPage.size` offers; empty after the last one.
  ///
  /// - Throws: as `OfferRepository.fetchOffers(_:)`, on the first page.
  mutating func next() async throws -> [UserOffer]
}

extension OfferPage {
  /// The maximum number of offers on a page of `OfferPages`.
  package static let size = 500
}

/// The changes that a query selected, oldest first, whose offers are read in parts.
package protocol LongChangeList: Sendable {
  /// The number of selected changes.
  var count: Int { get }

  /// The number of the newest recorded change at the time of the query: the mark to set once all
  /// changes were shown.
  var lastID: Int64 { get }

  /// Reads the changes at a range of positions, which is clamped to `0..<count`. Changes whose offers
  /// were removed after the selection are omitted.
  func fetch(_ range: Range<Int>) async throws -> [OfferChange]
}
