import OffersCore

/// The result of fetching images ahead. Each image is counted once.
public struct FetchedImages: Hashable, Sendable {
  /// An image that could not be fetched.
  public struct Failure: Hashable, Sendable {
    /// The first offer that has this image.
    public let ref: OfferRef
    /// Why the image could not be fetched.
    public let error: OffersError

    /// Creates a failure of its parts; the properties describe them.
    public init(ref: OfferRef, error: OffersError) {
      self.ref = ref
      self.error = error
    }
  }

  /// How many images were fetched that were not cached before.
  public var fetched = 0
  /// How many images were cached already, including those that were then revalidated.
  public var held = 0
  /// How many images were left out, because the cache has no room for them.
  public var leftOut = 0
  /// The images that could not be fetched, ordered by `ref`.
  public var failures: [Failure] = []

  /// Creates a result without images.
  public init() {}
}
