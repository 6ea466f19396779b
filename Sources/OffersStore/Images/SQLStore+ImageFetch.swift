import Foundation
import OffersCore

extension OffersDatabase {
  /// Records that the server confirmed the image as current. A validator that is nil keeps the
  /// stored one. Changes no image that is not cached, but removes a remembered failure of
  /// the URL.
  package func confirmImage(
    _ url: String, etag: String?, lastModified: String?, fetchedAt: Date, freshUntil: Date
  ) async throws {
    try await transaction(.image) { transaction in
      try ImageTable.confirm(
        url, etag: etag, lastModified: lastModified, fetchedAt: fetchedAt, freshUntil: freshUntil,
        in: transaction)
      try ImageFailureTable.delete(url, in: transaction)
    }
  }

  /// The copy of a cached image for lists, or the reason why there is none, which counts as a use of the
  /// image. Nil when the image is not cached, and when no copy was tried.
  package func findThumbnail(of url: String) async throws -> StoredThumbnail? {
    let found = try await transaction(.lookup) { try ThumbnailColumns.find(url, in: $0) }
    if found != nil { noteImageUse(of: url, isAsked: true) }
    return found
  }

  /// Stores the copy of an image for lists, or the reason why there is none. Does nothing if the image is
  /// not cached, or another one is cached for its URL. Both are forgotten when another image is put, and
  /// the reason when the server confirms the image.
  ///
  /// - Throws: `OffersError` with `limitExceeded` for a copy of more than `ImageCacheLimits.thumbnailBytes`.
  package func putThumbnail(
    _ content: StoredThumbnail.Content, of image: CachedImage
  ) async throws {
    try content.check()
    try await transaction(.uncountedImage) {
      try ThumbnailColumns.put(content, of: image, in: $0)
    }
  }

  /// The remembered failure to fetch an image; nil when there is none or it has expired. One that
  /// would last for more than a day was stored under a clock that was ahead, and has expired, too.
  package func findFailure(of url: String, now: Date) async throws -> ImageFailure? {
    try await transaction(.lookup) { try ImageFailureTable.find(url, now: now, in: $0) }
  }

  /// Remembers a failure to fetch an image. Only a bounded number of failures is kept: those that expire last.
  package func putFailure(_ failure: ImageFailure) async throws {
    try await transaction(.image) { try ImageFailureTable.put(failure, in: $0) }
  }

  /// Forgets the failures that expire at a time or earlier.
  package func forgetFailures(until time: Date) async throws {
    try await transaction(.image) { try ImageFailureTable.clear(until: time, in: $0) }
  }
}
