/// Reads the labels of offers, such as for a filter on a screen.
public protocol FacetRepository: Sendable {
  /// The retailers of a feed's offers, or of all offers; those with the most offers first, at most
  /// 1000.
  ///
  /// - Parameter feed: the feed's name; nil for the offers of all feeds. An unknown feed has none.
  /// - Throws: `OffersError` with `storageFailed`, or with `invalidRequest` if the store is closed;
  ///   `CancellationError` if the task is cancelled before the read begins.
  func fetchRetailers(of feed: String?) async throws -> [String]

  /// The categories of a feed's offers, or of all offers; those with the most offers first, at most
  /// 1000.
  ///
  /// - Parameter feed: the feed's name; nil for the offers of all feeds. An unknown feed has none.
  /// - Throws: as `fetchRetailers(of:)`.
  func fetchCategories(of feed: String?) async throws -> [String]
}
