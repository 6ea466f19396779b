import Foundation
import OffersCore

/// `ImageFetchStore`, without the choice of the images that are fetched ahead.
extension SQLStore {
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

  package func findThumbnail(of url: String) async throws -> StoredThumbnail? {
    let found = try await transaction(.lookup) { try ThumbnailColumns.find(url, in: $0) }
    if found != nil { noteImageUse(of: url, isAsked: true) }
    return found
  }

  package func putThumbnail(
    _ content: StoredThumbnail.Content, of image: CachedImage
  ) async throws {
    try content.check()
    try await transaction(.uncountedImage) {
      try ThumbnailColumns.put(content, of: image, in: $0)
    }
  }

  package func findFailure(of url: String, now: Date) async throws -> ImageFailure? {
    try await transaction(.lookup) { try ImageFailureTable.find(url, now: now, in: $0) }
  }

  package func putFailure(_ failure: ImageFailure) async throws {
    try await transaction(.image) { try ImageFailureTable.put(failure, in: $0) }
  }

  package func forgetFailures(until time: Date) async throws {
    try await transaction(.image) { try ImageFailureTable.clear(until: time, in: $0) }
  }
}
