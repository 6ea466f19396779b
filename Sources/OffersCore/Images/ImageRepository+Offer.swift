extension ImageRepository {
  /// The cached image of an offer, which counts as a use; nil when it is not cached, and for an
  /// offer without an image.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  public func findImage(of offer: Offer) async throws -> CachedImage? {
    guard let url = offer.imageURLText else { return nil }
    return try await findImage(url)
  }

  /// The cached image of an offer as a user sees it; the user does not matter.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  public func findImage(of offer: UserOffer) async throws -> CachedImage? {
    try await findImage(of: offer.offer)
  }
}
