import Foundation
import GRDB
import OffersCore

/// The image cache in the same file. Beyond the protocol's guarantees, all processes share the
/// bound and the LRU order, and an image that replaces another reuses its pages in the file.
extension OffersDatabase: ImageRepository {
  public func findImage(_ url: String) async throws -> CachedImage? {
    let (image, isDue) = try await readStatement { [imageUses] database in
      let image = try ImageTable.find(url, in: database)
      return (image, imageUses.note(image == nil ? nil : url, isAsked: true))
    }
    if isDue { writeImageUsesLater() }
    return image
  }

  @discardableResult
  public func touchImage(_ url: String) async throws -> Bool {
    let (isHeld, isDue) = try await read { [imageUses] database in
      let isHeld = try ImageTable.findSlot(of: url, in: database) != nil
      return (isHeld, isHeld && imageUses.note(url, isAsked: false))
    }
    if isDue { writeImageUsesLater() }
    return isHeld
  }

  public func flushImageUses() async throws {
    guard canWrite else { return }
    if imageUses.gathered.isEmpty {
      // An enqueued batch may still be waiting.
      return try await finishLaterWrites()
    }
    try await write(.image, waitSeconds: WriteGuard.noteWaitSeconds) { [imageUses] in
      try ImageTable.note(imageUses.take(), in: $0)
    }
  }

  public func putImage(_ image: CachedImage) async throws {
    try Self.check(image)
    let isEviction = try await write(.image) { [imageUses] database in
      var places = try ImagePlaces(database)
      try ImageTable.note(imageUses.takeOrder(), &places, in: database)
      let held = try ImageTable.findSlot(of: image.url, in: database)
      let free =
        held == nil && !places.isFull ? try CacheSlotTable.findFree(in: database) : nil
      let slot =
        try held ?? free
        ?? places.findOldest(favorites: ImageTable.favoriteSlots(in: database))
      guard let slot else { throw DatabaseError(message: "cache_slot is empty") }
      try ImageTable.put(image, slot: slot, isFree: free != nil, in: database)
      try places.use(slot, in: database)
      try ImageFailureTable.delete(image.url, in: database)
      try ImageLeaseTable.end(image.url, holder: nil, in: database)
      return held == nil && free == nil
    }
    if isEviction { imageUses.noteEvictions(1) }
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

  public func fetchImageContents(now: Date) async throws -> ImageCacheContents {
    let gathered = imageUses.gathered
    return try await read { database in
      let written = try ImageTable.summaries(in: database)
      let tally = try ImageTable.tally(in: database)
      // Uses that are not written yet are the most recent ones, so their images come first.
      let later = Set(gathered.urls)
      let recent = gathered.urls.reversed().compactMap { url in written.first { $0.url == url } }
      return ImageCacheContents(
        limit: try CacheSlotTable.count(in: database),
        images: recent + written.filter { !later.contains($0.url) },
        hits: tally.hits + gathered.hits, misses: tally.misses + gathered.misses,
        evictions: tally.evictions + gathered.evictions,
        failures: try ImageFailureTable.all(now: now, in: database))
    }
  }

  /// The limit is stored in the file, so it holds for every program that uses it. An evicted
  /// image's pages are reused; the file itself does not shrink.
  @discardableResult
  public func setImageLimit(_ limit: Int) async throws -> Int {
    guard ImageBounds.imageLimits.contains(limit) else {
      throw OffersError(
        .invalidRequest, "An image cache holds 1 to 10,000 images, not \(limit).")
    }
    // An app may set its limit at each start: no write if it is set already.
    if try await read({ try CacheSlotTable.count(in: $0) }) == limit { return 0 }
    let count = try await write { [imageUses] database in
      var places = try ImagePlaces(database)
      try ImageTable.note(imageUses.takeOrder(), &places, in: database)
      let surplus = places.surplus(
        over: limit, favorites: try ImageTable.favoriteSlots(in: database))
      try ImageTable.delete(surplus, in: database)
      try CacheSlotTable.setCount(limit, in: database)
      return surplus.count
    }
    imageUses.noteEvictions(count)
    return count
  }

  /// Records one lookup of an image in the file, as a hit, unless another process is writing.
  package static func noteImageUse(of url: String, path: String) async throws {
    let lockPath = DatabaseFile(path: DatabaseFile.resolve(path)).lockPath
    let lock = try FileLock(path: lockPath, byte: 0)
    guard try lock.tryLock() else { return }
    lock.unlock()
    let database = try await OffersDatabase.open(path: path)
    _ = database.imageUses.note(url, isAsked: true)
    try await database.flushImageUses()
  }

  @discardableResult
  public func clearImages() async throws -> Int {
    try await write { [imageUses] database in
      _ = imageUses.take()
      try ImageFailureTable.clear(in: database)
      try ImageLeaseTable.clear(in: database)
      return try ImageTable.clear(in: database)
    }
  }
}
