/// Brings images of offers: from a cache, else from their servers.
public protocol ImageSource: Sendable {
  /// The image of an offer.
  ///
  /// - Parameters:
  ///   - url: as the feed prints it.
  ///   - feedSource: where the feed is read from, which tells what a relative address means.
  /// - Throws: `OffersError` that says why there is none; `CancellationError`.
  func image(at url: String, feedSource: String?) async throws -> CachedImage
}
