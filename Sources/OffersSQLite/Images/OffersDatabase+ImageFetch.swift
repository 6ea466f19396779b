import Foundation
import OffersCore

extension OffersDatabase: ImageFetchStore {
  package func confirmImage(
    _ url: String, etag: String?, lastModified: String?, fetchedAt: Date, freshUntil: Date
  ) async throws {
    try await write(.image) { database in
      try ImageTable.confirm(
        url, etag: etag, lastModified: lastModified, fetchedAt: fetchedAt, freshUntil: freshUntil,
        in: database)
      try ImageFailureTable.delete(url, in: database)
      try ImageLeaseTable.end(url, holder: nil, in: database)
    }
  }

  package func findThumbnail(of url: String) async throws -> StoredThumbnail? {
    let (found, isDue) = try await readStatement { [imageUses] database in
      let found = try ThumbnailColumns.find(url, in: database)
      return (found, found != nil && imageUses.note(url, isAsked: true))
    }
    if isDue { writeImageUsesLater() }
    return found
  }

  package func putThumbnail(
    _ content: StoredThumbnail.Content, of image: CachedImage
  ) async throws {
    try content.check()
    try await write(.image) { try ThumbnailColumns.put(content, of: image, in: $0) }
  }

  package func findFailure(of url: String, now: Date) async throws -> ImageFailure? {
    try await read { try ImageFailureTable.find(url, now: now, in: $0) }
  }

  package func putFailure(_ failure: ImageFailure) async throws {
    try await write(.image) { database in
      try ImageFailureTable.put(failure, in: database)
      try ImageLeaseTable.end(failure.url, holder: nil, in: database)
    }
  }

  package func forgetFailures(until time: Date) async throws {
    try await write(.image) { try ImageFailureTable.clear(until: time, in: $0) }
  }

  package func takeLease(
    on url: String, holder: Int64, seconds: Double, now: Date
  ) async throws -> Bool {
    leaseHolders.add(holder)
    return try await write(.image) { [leaseHolders] in
      try ImageLeaseTable.take(
        url, holder: holder, seconds: seconds, now: now, isAlive: leaseHolders.isAlive, in: $0)
    }
  }

  package func endLease(on url: String, holder: Int64) async throws {
    try await write(.image) { try ImageLeaseTable.end(url, holder: holder, in: $0) }
  }
}
