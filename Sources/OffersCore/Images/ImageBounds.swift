/// The bounds of every image cache.
public enum ImageBounds {
  /// The most images in the cache.
  public static let images = 50
  /// The most images of favorites that are exempt from eviction; the other places are for browsing.
  public static let favoriteImages = 30
  /// The most bytes of an image: 5 MiB.
  public static let bytes = 5 << 20
  /// The most pixels of an image according to its header: 50 megapixels, 200 MB when decoded.
  public static let pixels = 50_000_000
  /// The number of image uses collected in memory that triggers a write of them.
  public static let gatheredUses = 10_000
  /// The age of the oldest use in memory, in seconds, at which the next use triggers a write. Other
  /// processes need recent uses to choose which image to evict.
  public static let gatheredSeconds = 600
}
