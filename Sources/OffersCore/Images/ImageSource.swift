/// Provides the images of offers from a cache or from their servers.
public protocol ImageSource: Sendable {
  /// The image of an offer. `feedSource` is the source of the offer's feed, the base of a relative
  /// address; nil when it is not known.
  ///
  /// - Throws: `OffersError` when the image cannot be provided: `notFound` for an offer without
  ///   one. `CancellationError` when the task is cancelled meanwhile.
  func image(of offer: Offer, feedSource: String?) async throws -> CachedImage
}
