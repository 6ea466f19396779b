import Foundation

/// Keeps pictures of offers, a bounded number of them.
///
/// Guarantees of every implementation:
/// - **The bound**: never more than `ImageBounds.images` are held, at any time, whoever writes.
/// - **Whole**: an image is found as it was put, byte for byte, or not at all.
/// - **Least recently used first**: when one must go, it is the one whose last use lies furthest
///   back. Finding, touching and putting are uses; listing and confirming are not.
/// - **Favorites stay**: the images of favorites, the last used 30 of them, go only by `clear`.
///   The other 20 places are for browsing.
/// - **Reads do not write**: finding and touching wait for no writer. Uses are gathered in memory
///   and written in batches: before an image is put, by `flush`, and else after
///   `ImageBounds.gatheredUses` of them or `gatheredSeconds`. A program that dies before may lose
///   some of the order and of the counts, never an image.
/// - **Durable against crashes**: an image that `put` returned for is there after a `kill -9`. After
///   a power cut the last ones may be missing; the rest is whole.
///
/// Every call may throw `OffersError` with `storageFailed`.
public protocol ImageRepository: Sendable {
  /// The image of a URL, which is a use of it; nil when it is not held, which is counted as a miss.
  func findImage(_ url: String) async throws -> CachedImage?

  /// Notes a use of an image without reading it. Nothing happens when it is not held.
  ///
  /// - Returns: whether it is held.
  @discardableResult
  func touchImage(_ url: String) async throws -> Bool

  /// Keeps an image, instead of the one with its URL or of one that has to go. What was remembered
  /// of a failure, and anybody's lease, ends with it.
  ///
  /// - Throws: `OffersError` with `limitExceeded` for one of more than `ImageBounds.bytes` or
  ///   `ImageBounds.pixels`, `invalidRequest` for one without a URL or bytes. Nothing is changed.
  func putImage(_ image: CachedImage) async throws

  /// Notes that the server has nothing newer. Nothing happens when the image is not held.
  func confirmImage(
    _ url: String, etag: String?, lastModified: String?, fetchedAt: Date, freshUntil: Date
  ) async throws

  /// Why an image could not be had, if that was lately.
  func findFailure(of url: String, now: Date) async throws -> ImageFailure?

  /// Remembers why an image could not be had. A bounded number is remembered, the newest; anybody's
  /// lease on it ends.
  func putFailure(_ failure: ImageFailure) async throws

  /// Takes the task of fetching an image, for all processes, unless somebody else has it.
  ///
  /// - Parameters:
  ///   - holder: tells apart who asks.
  ///   - seconds: after which it runs out by itself, in case the holder dies.
  /// - Returns: whether it was to be had.
  func takeLease(on url: String, holder: Int64, seconds: Double, now: Date) async throws -> Bool

  /// Gives a lease back before its time.
  func endLease(on url: String, holder: Int64) async throws

  /// What is held, what could not be had, and how often what was asked for was there.
  func fetchImageContents(now: Date) async throws -> ImageCacheContents

  /// Forgets all images, failures and counts.
  ///
  /// - Returns: how many images there were.
  @discardableResult
  func clearImages() async throws -> Int

  /// Writes the uses down that were gathered; to be called before a program ends.
  func flushImageUses() async throws
}

/// The bounds of every image cache.
public enum ImageBounds {
  /// Most images held.
  public static let images = 50
  /// Most images of favorites that are kept before others; the rest is for browsing.
  public static let favoriteImages = 30
  /// Most bytes of an image: 5 MiB.
  public static let bytes = 5 << 20
  /// Most pixels of an image, by its header: 50 megapixels, which take 200 MB to draw.
  public static let pixels = 50_000_000
  /// After how many uses they are written down.
  public static let gatheredUses = 10_000
  /// How long after the first of them at most, at the next use: others choose what goes by them.
  public static let gatheredSeconds = 600
}
