/// Provides the images of offers from a cache or from their servers.
public protocol ImageSource: Sendable {
  /// The image of an offer.
  ///
  /// - Parameters:
  ///   - url: the address as the feed prints it.
  ///   - feedSource: the source of the feed, the base of a relative address.
  /// - Throws: `OffersError` when the image cannot be provided; `CancellationError`.
  func image(at url: String, feedSource: String?) async throws -> CachedImage
}
