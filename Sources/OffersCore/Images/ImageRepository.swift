import Foundation

/// A cache of a bounded number of offer images.
///
/// Guarantees of every implementation:
/// - **Bounded**: no commit holds more images than the limit, with any number of writers. It is 50
///   until `setImageLimit(_:)` sets another.
/// - **Intact**: an image is found exactly as it was put, byte for byte, or not at all.
/// - **Least recently used first**: of the images that the next rule does not protect, the one
///   whose last use is the oldest is evicted. Finding, touching and putting are uses; listing and
///   confirming are not.
/// - **Favorites stay**: three fifths of the places, 30 of 50, are for the most recently used
///   images of favorites, which are removed only by `clearImages()` or a lower limit. The other
///   places are for browsing.
/// - **Reads do not write**: finding and touching wait for no writer. Uses are gathered in memory
///   and written in batches: before an image is put, by `flushImageUses()`, and otherwise after
///   `ImageCacheLimits.gatheredUses` of them or `gatheredSeconds`. A crash may lose part of the usage
///   order and of the counts, but never an image.
/// - **Durable**: an image for which `putImage(_:)` returned survives a `kill -9`. A power cut may
///   lose the last images; the others stay intact.
///
/// Every call may throw `OffersError` with `storageFailed`, and `CancellationError` if it is
/// cancelled before it begins; then nothing is written. Calls of a few microseconds run to their
/// end.
public protocol ImageRepository: Sendable {
  /// The image of a URL, which counts as a use; nil when it is not cached, which counts as a miss.
  func findImage(_ url: String) async throws -> CachedImage?

  /// Records a use of an image without reading it. Does nothing when the image is not cached.
  ///
  /// - Returns: whether the image is cached.
  @discardableResult
  func touchImage(_ url: String) async throws -> Bool

  /// Stores an image. It replaces the one with the same URL, or evicts another when the cache is
  /// full. A remembered failure of the URL is removed.
  ///
  /// - Throws: `OffersError` with `limitExceeded` for an image of more than `ImageCacheLimits.bytes` or
  ///   `ImageCacheLimits.pixels`, `invalidRequest` for an empty URL or no bytes. The cache is unchanged.
  func putImage(_ image: CachedImage) async throws

  /// Sets the most images that the cache holds, for every program that uses it, from now on. A
  /// lower limit evicts the surplus in the same transaction: the least recently used images first,
  /// and the exempt images of favorites, three fifths of the new limit, last.
  ///
  /// - Parameter limit: a number of images, from `ImageCacheLimits.imageLimits`. An image has 5 MiB at
  ///   most, so a cache of 50 has at most 250 MiB.
  /// - Returns: the number of evicted images.
  /// - Throws: `OffersError` with `invalidRequest` for another limit; nothing is changed then.
  @discardableResult
  func setImageLimit(_ limit: Int) async throws -> Int

  /// The limit, the cached images, the remembered failures, and the hit, miss and eviction counts.
  func fetchImageContents(now: Date) async throws -> ImageCacheContents

  /// Removes all images, failures and uses, and resets the counts. The limit stays.
  ///
  /// - Returns: the number of images removed.
  @discardableResult
  func clearImages() async throws -> Int

  /// Writes the image uses that are collected in memory. Call it before the program exits.
  func flushImageUses() async throws
}
