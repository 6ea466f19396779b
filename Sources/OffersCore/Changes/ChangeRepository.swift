import Foundation

/// Reads changes and keeps the position of each reader. No call waits for the network. A call that
/// is cancelled throws `CancellationError`, and nothing is written.
public protocol ChangeRepository: Sendable {
  /// The changes that a query selects, oldest first, and the number of the newest change recorded
  /// at that time: the mark to set once the changes were shown.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  func fetchChanges(_ query: ChangeQuery) async throws -> (changes: [OfferChange], lastID: Int64)

  /// A page of the changes that a query selects, for incremental readers. The query's limit counts
  /// from the oldest change. For the next page, `lastID` and `lastExpiring` of the page become
  /// `afterID` and `afterExpiring` of the query.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed, `invalidRequest` for an `afterID`
  ///   that the database has not recorded.
  func fetchChangePage(_ query: ChangeQuery) async throws -> ChangePage

  /// The mark of a reader; nil for one that has never read.
  func findMark(of reader: String) async throws -> ReaderMark?

  /// Advances a reader's mark. A mark never moves back.
  func setMark(_ mark: ReaderMark, of reader: String) async throws

  /// The latest points of the history of an offer's reward and texts that fit the bounds, oldest first;
  /// at least one point. The history begins with the first sighting of the offer; changes that were
  /// pruned are missing.
  ///
  /// - Throws: `OffersError` with `notFound` or `ambiguous`.
  func fetchHistory(named text: String, _ bounds: HistoryQuery) async throws -> HistoryPage
}

extension ChangeRepository {
  /// The whole history of an offer's reward and texts, oldest first.
  ///
  /// - Throws: as `fetchHistory(named:_:)`.
  public func fetchHistory(
    named text: String
  ) async throws -> (offer: UserOffer, points: [RewardPoint]) {
    let page = try await fetchHistory(named: text, HistoryQuery())
    return (page.offer, page.points)
  }
}

/// A reader's position in the recorded changes.
public struct ReaderMark: Hashable, Sendable {
  /// The number of the newest change that was read; 0 for none.
  public let changeID: Int64
  /// When the reader last read the news.
  public let readAt: Date

  /// Creates a reader mark of its parts; the properties describe them.
  public init(changeID: Int64, readAt: Date) {
    self.changeID = changeID
    self.readAt = readAt
  }
}
