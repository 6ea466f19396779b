/// Provides the images of offers from a cache or from their servers.
public protocol ImageSource: Sendable {
  /// The image of an offer.
  ///
  /// - Parameters:
  ///   - offer: the offer, which names the address of its image.
  ///   - feedSource: the source of the offer's feed, the base of a relative address; nil when it is
  ///     not known.
  /// - Throws: `OffersError` when the image cannot be provided: `notFound` for an offer without
  ///   one. `CancellationError` when the task is cancelled meanwhile.
  func image(of offer: Offer, feedSource: String?) async throws -> CachedImage

  /// The image of an offer that is shown before its feed is added. A source with a cache does not
  /// store it, because it would take the place of the image of a stored offer.
  ///
  /// The default implementation returns `image(of:feedSource:)`.
  ///
  /// - Parameters:
  ///   - offer: the offer, which names the address of its image.
  ///   - feedSource: the source of the offer's feed, the base of a relative address.
  /// - Throws: as `image(of:feedSource:)`.
  func previewImage(of offer: Offer, feedSource: String?) async throws -> CachedImage

  /// The image of an offer for a list: a copy that is at most `ImageCacheLimits.thumbnailWidth` pixels wide and
  /// has few bytes, if the image is wider or has many. A source that makes no copies returns the image.
  ///
  /// The default implementation returns `image(of:feedSource:)`.
  ///
  /// - Parameters:
  ///   - offer: the offer, which names the address of its image.
  ///   - feedSource: the source of the offer's feed, the base of a relative address.
  /// - Throws: as `image(of:feedSource:)`; `OffersError` with `limitExceeded` if the image is too large
  ///   for a list and no copy can be made.
  func thumbnail(of offer: Offer, feedSource: String?) async throws -> CachedImage
}

extension ImageSource {
  /// The image of an offer whose feed has absolute addresses of images.
  ///
  /// - Parameter offer: the offer, which names the address of its image.
  /// - Throws: as `image(of:feedSource:)`.
  public func image(of offer: Offer) async throws -> CachedImage {
    try await image(of: offer, feedSource: nil)
  }

  /// The image of an offer as a user sees it; the user does not matter.
  ///
  /// - Parameters:
  ///   - offer: the offer, which names the address of its image.
  ///   - feedSource: the source of the offer's feed, the base of a relative address; nil when it is
  ///     not known.
  /// - Throws: as `image(of:feedSource:)` of an `Offer`.
  public func image(of offer: UserOffer, feedSource: String? = nil) async throws -> CachedImage {
    try await image(of: offer.offer, feedSource: feedSource)
  }

  public func previewImage(of offer: Offer, feedSource: String?) async throws -> CachedImage {
    try await image(of: offer, feedSource: feedSource)
  }

  public func thumbnail(of offer: Offer, feedSource: String?) async throws -> CachedImage {
    try await image(of: offer, feedSource: feedSource)
  }
}
