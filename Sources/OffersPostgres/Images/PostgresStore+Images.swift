import Foundation
import OffersCore

/// The image cache in the same database. All nodes share its bound and the order of uses.
extension PostgresStore: ImageRepository {
  package func findImage(_ url: String) async throws -> CachedImage? {
    let image = try await database.readOnce { try ImageTable.find(url, in: $0) }
    if imageUses.note(image == nil ? nil : url, isAsked: true) { writeImageUsesLater() }
    return image
  }

  @discardableResult
  package func touchImage(_ url: String) async throws -> Bool {
    let isHeld = try await database.readOnce { try ImageTable.holds(url, in: $0) }
    if isHeld, imageUses.note(url, isAsked: false) { writeImageUsesLater() }
    return isHeld
  }

  package func putImage(_ image: CachedImage) async throws {
    try Self.check(image)
    let used = imageUses.takeOrder()
    let evicted = try await database.write { session in
      var order = try ImageOrder(locking: session)
      try order.use(used, in: session)
      let isNew = !order.holds(image.url)
      let surplus =
        isNew ? order.surplus(over: order.limit, count: order.urls.count + 1 - order.limit) : []
      // First, because the table is never above its limit.
      try ImageTable.delete(surplus, in: session)
      try ImageTable.put(image, in: session)
      order.add(image.url)
      try order.use([image.url], in: session)
      try ImageFailureTable.delete(image.url, in: session)
      try ImageLeaseTable.end(image.url, holder: nil, in: session)
      return surplus.count
    }
    imageUses.noteEvictions(evicted)
  }

  private static func check(_ image: CachedImage) throws {
    guard !image.url.isEmpty, !image.bytes.isEmpty, image.header.width > 0, image.header.height > 0
    else { throw OffersError(.invalidRequest, "An image needs an address, bytes and a size.") }
    let (pixels, overflows) = image.header.width.multipliedReportingOverflow(
      by: image.header.height)
    guard image.bytes.count <= ImageBounds.bytes, !overflows, pixels <= ImageBounds.pixels else {
      throw OffersError(.limitExceeded, "The image \(image.url) is too large for the cache.")
    }
  }

  @discardableResult
  package func setImageLimit(_ limit: Int) async throws -> Int {
    guard ImageBounds.imageLimits.contains(limit) else {
      throw OffersError(
        .invalidRequest, "An image cache holds 1 to 10,000 images, not \(limit).")
    }
    // An app may set its limit at each start: no write if it is set already.
    if try await database.readOnce({ try ImageTable.tally(in: $0)[0] }) == limit { return 0 }
    let used = imageUses.takeOrder()
    let count = try await database.write { session in
      var order = try ImageOrder(locking: session)
      try order.use(used, in: session)
      let surplus = order.surplus(over: limit, count: order.urls.count - limit)
      try ImageTable.delete(surplus, in: session)
      try session.run("UPDATE image_tally SET image_limit = $1", [.number(Int64(limit))])
      return surplus.count
    }
    imageUses.noteEvictions(count)
    return count
  }

  package func fetchImageContents(now: Date) async throws -> ImageCacheContents {
    let gathered = imageUses.gathered
    return try await database.read { session in
      let written = try ImageTable.summaries(in: session)
      let tally = try ImageTable.tally(in: session)
      // Uses that are not written yet are the most recent ones, so their images come first.
      let later = Set(gathered.urls)
      let recent = gathered.urls.reversed().compactMap { url in written.first { $0.url == url } }
      return ImageCacheContents(
        limit: tally[0], images: recent + written.filter { !later.contains($0.url) },
        hits: tally[1] + gathered.hits, misses: tally[2] + gathered.misses,
        evictions: tally[3] + gathered.evictions,
        failures: try ImageFailureTable.all(now: now, in: session))
    }
  }

  @discardableResult
  package func clearImages() async throws -> Int {
    _ = imageUses.take()
    return try await database.write { session in
      _ = try ImageOrder(locking: session)
      return try ImageTable.clear(in: session)
    }
  }

  package func flushImageUses() async throws {
    await laterWrites.finish()
    try await writeImageUses()
  }

  private func writeImageUses() async throws {
    if imageUses.gathered.isEmpty { return }
    let batch = imageUses.take()
    try await database.write { session in
      var order = try ImageOrder(locking: session)
      try order.use(batch.urls, in: session)
      try ImageTable.count(batch, in: session)
    }
  }

  private func writeImageUsesLater() {
    laterWrites.add { [weak self] in try await self?.writeImageUses() }
  }
}

extension PostgresStore: ImageFetchStore {
  package func confirmImage(
    _ url: String, etag: String?, lastModified: String?, fetchedAt: Date, freshUntil: Date
  ) async throws {
    try await database.write { session in
      try ImageTable.confirm(
        url, etag: etag, lastModified: lastModified, fetchedAt: fetchedAt, freshUntil: freshUntil,
        in: session)
      try ImageFailureTable.delete(url, in: session)
      try ImageLeaseTable.end(url, holder: nil, in: session)
    }
  }

  package func findThumbnail(of url: String) async throws -> StoredThumbnail? {
    let found = try await database.readOnce { try ThumbnailColumns.find(url, in: $0) }
    if found != nil, imageUses.note(url, isAsked: true) { writeImageUsesLater() }
    return found
  }

  package func putThumbnail(
    _ content: StoredThumbnail.Content, of image: CachedImage
  ) async throws {
    try content.check()
    try await database.write(isCounted: false) {
      try ThumbnailColumns.put(content, of: image, in: $0)
    }
  }

  package func findFailure(of url: String, now: Date) async throws -> ImageFailure? {
    try await database.readOnce { try ImageFailureTable.find(url, now: now, in: $0) }
  }

  package func putFailure(_ failure: ImageFailure) async throws {
    try await database.write { session in
      try ImageFailureTable.put(failure, in: session)
      try ImageLeaseTable.end(failure.url, holder: nil, in: session)
    }
    await laterWrites.finish()
  }

  package func forgetFailures(until time: Date) async throws {
    try await database.write { try ImageFailureTable.clear(until: time, in: $0) }
  }

  package func takeLease(
    on url: String, holder: Int64, seconds: Double, now: Date
  ) async throws -> Bool {
    try await database.write(isCounted: false) { session in
      try ImageLeaseTable.take(url, holder: holder, seconds: seconds, in: session)
    }
  }

  package func endLease(on url: String, holder: Int64) async throws {
    try await database.write(isCounted: false) { session in
      try ImageLeaseTable.end(url, holder: holder, in: session)
    }
  }

  package func fetchOffersWithWantedImages() async throws -> [Offer] {
    try await database.read { try WantedImages.offers(in: $0) }
  }
}
