import Foundation
import OffersCore

/// `ImageRepository`. All programs share the bound of the cache and the order of uses.
extension SQLStore {
  public func findImage(_ url: String) async throws -> CachedImage? {
    let image = try await transaction(.lookup) { try ImageTable.find(url, in: $0) }
    noteImageUse(of: image == nil ? nil : url, isAsked: true)
    return image
  }

  @discardableResult
  public func touchImage(_ url: String) async throws -> Bool {
    let isHeld = try await transaction(.lookup) { try ImageTable.holds(url, in: $0) }
    if isHeld { noteImageUse(of: url, isAsked: false) }
    return isHeld
  }

  public func putImage(_ image: CachedImage) async throws {
    try Self.check(image)
    try Task.checkCancellation()
    let used = imageUses.takeOrder()
    let evicted = try await transaction(.image) { transaction in
      var order = try ImageOrder(locking: transaction)
      try order.use(used, in: transaction)
      let isNew = !order.holds(image.url)
      let surplus =
        isNew ? order.surplus(over: order.limit, count: order.urls.count + 1 - order.limit) : []
      // First, because the table is never above its limit.
      try ImageTable.delete(surplus, in: transaction)
      try ImageTable.put(image, in: transaction)
      order.add(image.url)
      try order.use([image.url], in: transaction)
      try ImageFailureTable.delete(image.url, in: transaction)
      return surplus.count
    }
    imageUses.noteEvictions(evicted)
  }

  private static func check(_ image: CachedImage) throws {
    guard !image.url.isEmpty, !image.bytes.isEmpty, image.header.width > 0, image.header.height > 0
    else { throw OffersError(.invalidRequest, "An image needs an address, bytes and a size.") }
    let (pixels, overflows) = image.header.width.multipliedReportingOverflow(
      by: image.header.height)
    guard image.bytes.count <= ImageCacheLimits.bytes, !overflows, pixels <= ImageCacheLimits.pixels
    else {
      throw OffersError(.limitExceeded, "The image \(image.url) is too large for the cache.")
    }
  }

  @discardableResult
  public func setImageLimit(_ limit: Int) async throws -> Int {
    guard ImageCacheLimits.imageLimits.contains(limit) else {
      throw OffersError(
        .invalidRequest, "An image cache holds 1 to 10,000 images, not \(limit).")
    }
    // An app may set its limit at each start: no write if it is set already.
    if try await transaction(.query, { try ImageTable.limit(in: $0) }) == limit { return 0 }
    try Task.checkCancellation()
    let used = imageUses.takeOrder()
    let count = try await transaction(.write) { transaction in
      var order = try ImageOrder(locking: transaction)
      try order.use(used, in: transaction)
      let surplus = order.surplus(over: limit, count: order.urls.count - limit)
      try ImageTable.delete(surplus, in: transaction)
      try ImageTable.setLimit(limit, in: transaction)
      return surplus.count
    }
    imageUses.noteEvictions(count)
    return count
  }

  public func fetchImageContents(now: Date) async throws -> ImageCacheContents {
    let gathered = imageUses.gathered
    return try await transaction(.read) { transaction in
      let written = try ImageTable.summaries(in: transaction)
      let tally = try ImageTable.tally(in: transaction)
      // Uses that are not written yet are the most recent ones, so their images come first.
      let later = Set(gathered.urls)
      let recent = gathered.urls.reversed().compactMap { url in written.first { $0.url == url } }
      return ImageCacheContents(
        limit: tally.limit, images: recent + written.filter { !later.contains($0.url) },
        hits: tally.hits + gathered.hits, misses: tally.misses + gathered.misses,
        evictions: tally.evictions + gathered.evictions,
        failures: try ImageFailureTable.all(now: now, in: transaction))
    }
  }

  @discardableResult
  public func clearImages() async throws -> Int {
    try Task.checkCancellation()
    _ = imageUses.take()
    return try await transaction(.write) { transaction in
      _ = try ImageOrder(locking: transaction)
      return try ImageTable.clear(in: transaction)
    }
  }

  public func flushImageUses() async throws {
    guard canWrite else { return }
    // A batch that was enqueued may still be waiting.
    try await finishLaterWrites()
    if imageUses.gathered.isEmpty { return }
    try Task.checkCancellation()
    let batch = imageUses.take()
    try await transaction(.imageNote) { try ImageTable.note(batch, in: $0) }
  }

  /// Gathers a use of an image, or a look-up that found none. A store that was opened for reading only
  /// gathers none, because it could not write them.
  func noteImageUse(of url: String?, isAsked: Bool) {
    guard canWrite, imageUses.note(url, isAsked: isAsked) else { return }
    let batch = imageUses.take()
    writeLater { try ImageTable.note(batch, in: $0) }
  }
}
