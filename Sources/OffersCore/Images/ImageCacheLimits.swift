import Foundation

/// The bounds of every image cache.
public enum ImageCacheLimits {
  /// The most images in a new cache, as the migrations create it: another default requires a new
  /// migration. An app may set another limit: `setImageLimit(_:)` of
  /// `ImageRepository`.
  public static let defaultImages = 50
  /// The limits that an app may set, in images.
  public static let imageLimits = 1...10_000

  /// The most images of favorites that are exempt from eviction in a cache of `limit` images: three
  /// fifths, 30 of 50. The other places are for browsing.
  public static func favoriteImages(of limit: Int) -> Int { limit / 5 * 3 + limit % 5 * 3 / 5 }

  /// The most bytes of an image: 5 MiB.
  public static let bytes = 5 << 20
  /// The most pixels of an image according to its header: 50 megapixels, 200 MB when decoded.
  public static let pixels = 50_000_000
  /// The most pixels in the width of the copy of an image for lists: a third of a large phone's width at
  /// three pixels each, and a tile of a desktop at two.
  public static let thumbnailWidth = 480
  /// The most pixels in its height.
  package static let thumbnailHeight = 4 * thumbnailWidth
  /// The most bytes of an image in a list, of a copy or of an image that has none: 256 KiB.
  package static let thumbnailBytes = 256 << 10
  /// The size in bytes above which an image has a copy for lists, even if it is no wider: 64 KiB.
  package static let copiedBytes = 64 << 10
  /// The number of images with uses in memory above which a use triggers a write of all uses.
  public static let gatheredImages = 200
  /// The number of image uses in memory that triggers a write of all uses.
  public static let gatheredUses = 10_000
  /// The age of the oldest use in memory, in seconds, at which the next use triggers a write. Other
  /// processes need recent uses to choose which image to evict.
  public static let gatheredSeconds = 600

  /// The longest time that a failure is remembered, at the request of a server, in seconds: a day.
  package static let failureSeconds = 86_400.0
  /// The longest freshness lifetime that is honoured, in seconds: 30 days.
  package static let freshSeconds = 30 * 86_400.0
  /// The time, in seconds, by which an image may have been fetched later than now: clocks are set
  /// back a little.
  private static let clockSeconds = 60.0

  /// Whether an image is used without asking its server again. One that was fetched later than now,
  /// or would be fresh for longer than any, was stored under another clock, and is not fresh.
  ///
  /// - Parameters:
  ///   - fetchedAt: when the image was last fetched or confirmed.
  ///   - freshUntil: until when it is fresh.
  ///   - now: the present time.
  package static func isFresh(fetchedAt: Date, until freshUntil: Date, at now: Date) -> Bool {
    now < freshUntil && fetchedAt <= now + clockSeconds && freshUntil <= fetchedAt + freshSeconds
  }
}
