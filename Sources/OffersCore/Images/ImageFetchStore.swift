import Foundation

/// An image cache as the image loader needs it: with the memory of failures.
package protocol ImageFetchStore: ImageRepository {
  /// Records that the server confirmed the image as current. A validator that is nil keeps the
  /// stored one. Changes no image that is not cached, but removes a remembered failure of
  /// the URL.
  func confirmImage(
    _ url: String, etag: String?, lastModified: String?, fetchedAt: Date, freshUntil: Date
  ) async throws

  /// The copy of a cached image for lists, or the reason why there is none, which counts as a use of the
  /// image. Nil when the image is not cached, and when no copy was tried.
  func findThumbnail(of url: String) async throws -> StoredThumbnail?

  /// Stores the copy of an image for lists, or the reason why there is none. Does nothing if the image is
  /// not cached, or another one is cached for its URL. Both are forgotten when another image is put, and
  /// the reason when the server confirms the image.
  ///
  /// - Throws: `OffersError` with `limitExceeded` for a copy of more than `ImageCacheLimits.thumbnailBytes`.
  func putThumbnail(_ content: StoredThumbnail.Content, of image: CachedImage) async throws

  /// The remembered failure to fetch an image; nil when there is none or it has expired. One that
  /// would last for more than a day was stored under a clock that was ahead, and has expired, too.
  func findFailure(of url: String, now: Date) async throws -> ImageFailure?

  /// Remembers a failure to fetch an image. Only a bounded number of failures is kept: those that expire last.
  func putFailure(_ failure: ImageFailure) async throws

  /// Forgets the failures that expire at a time or earlier.
  func forgetFailures(until time: Date) async throws

  /// The offers whose images a user is most likely to look at, to fetch them ahead: favorites of any
  /// user, most recently starred first, then the newest offers.
  ///
  /// - Returns: as many offers as the image cache holds images, at most. Each has an image URL, and
  ///   no two have the same.
  func fetchOffersWithWantedImages() async throws -> [Offer]
}
