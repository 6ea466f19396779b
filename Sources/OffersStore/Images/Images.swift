import Foundation
import OffersCore

/// A cache of a bounded number of offer images.
///
/// Guarantees:
/// - **Shared**: all programs have the same bound and the same order of uses.
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
/// Every call may throw `OffersError` with `storageFailed`, and with `cancelled` if it is
/// cancelled before it begins; then nothing is written. Calls of a few microseconds run to their
/// end.
extension OffersDatabase {
  /// The image of a URL, which counts as a use; nil when it is not cached, which counts as a miss.
  public func findImage(_ url: String) async throws(OffersError) -> CachedImage? {
    let image = try await transaction(.query) { try ImageTable.find(url, in: $0) }
    noteImageUse(of: image == nil ? nil : url, isAsked: true)
    return image
  }

  /// Records a use of an image without reading it. Does nothing when the image is not cached.
  ///
  /// - Returns: whether the image is cached.
  @discardableResult
  public func touchImage(_ url: String) async throws(OffersError) -> Bool {
    let isHeld = try await transaction(.query) { try ImageTable.holds(url, in: $0) }
    if isHeld { noteImageUse(of: url, isAsked: false) }
    return isHeld
  }

  /// Stores an image. It replaces the one with the same URL, or evicts another when the cache is
  /// full. A remembered failure of the URL is removed.
  ///
  /// - Throws: `OffersError` with `limitExceeded` for an image of more than `ImageCacheLimits.bytes` or
  ///   `ImageCacheLimits.pixels`, `invalidRequest` for an empty URL or no bytes. The cache is unchanged.
  public func putImage(_ image: CachedImage) async throws(OffersError) {
    try Self.check(image)
    try OffersError.checkCancellation()
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

  private static func check(_ image: CachedImage) throws(OffersError) {
    guard !image.url.isEmpty, !image.bytes.isEmpty, image.header.width > 0, image.header.height > 0
    else { throw OffersError(.invalidRequest, "An image needs an address, bytes and a size.") }
    let (pixels, overflows) = image.header.width.multipliedReportingOverflow(
      by: image.header.height)
    guard image.bytes.count <= ImageCacheLimits.bytes, !overflows, pixels <= ImageCacheLimits.pixels
    else {
      throw OffersError(.limitExceeded, "The image \(image.url) is too large for the cache.")
    }
  }

  /// Sets the most images that the cache holds, for every program that uses it, from now on. A
  /// lower limit evicts the surplus in the same transaction: the least recently used images first,
  /// and the exempt images of favorites, three fifths of the new limit, last.
  ///
  /// - Parameter limit: a number of images, from `ImageCacheLimits.imageLimits`. An image has 5 MiB at
  ///   most, so a cache of 50 has at most 250 MiB.
  /// - Returns: the number of evicted images.
  /// - Throws: `OffersError` with `invalidRequest` for another limit; nothing is changed then.
  @discardableResult
  public func setImageLimit(_ limit: Int) async throws(OffersError) -> Int {
    guard ImageCacheLimits.imageLimits.contains(limit) else {
      throw OffersError(
        .invalidRequest, "An image cache holds 1 to 10,000 images, not \(limit).")
    }
    // An app may set its limit at each start: no write if it is set already.
    if try await transaction(.query, { try ImageTable.limit(in: $0) }) == limit { return 0 }
    try OffersError.checkCancellation()
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

  /// The limit, the cached images, the remembered failures, and the hit, miss and eviction counts.
  package func fetchImageContents(now: Date) async throws(OffersError) -> ImageCacheContents {
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

  /// Removes all images, failures and uses, and resets the counts. The limit stays.
  ///
  /// - Returns: the number of images removed.
  @discardableResult
  public func clearImages() async throws(OffersError) -> Int {
    try OffersError.checkCancellation()
    _ = imageUses.take()
    return try await transaction(.write) { transaction in
      _ = try ImageOrder(locking: transaction)
      return try ImageTable.clear(in: transaction)
    }
  }

  /// Writes the image uses that are collected in memory. Call it before the program exits.
  public func flushImageUses() async throws(OffersError) {
    guard engine.canWrite else { return }
    // A batch that was enqueued may still be waiting.
    try await OffersError.translating { try await engine.finishLaterWrites() }
    if imageUses.gathered.isEmpty { return }
    try OffersError.checkCancellation()
    let batch = imageUses.take()
    try await transaction(.imageNote) { try ImageTable.note(batch, in: $0) }
  }

  /// Gathers a use of an image, or a look-up that found none. A store that was opened for reading only
  /// gathers none, because it could not write them.
  func noteImageUse(of url: String?, isAsked: Bool) {
    if engine.canWrite, imageUses.note(url, isAsked: isAsked) { writeImageUses() }
  }

  /// Enqueues a write of the gathered uses.
  func writeImageUses() {
    let batch = imageUses.take()
    if !batch.isEmpty { writeLater { try ImageTable.note(batch, in: $0) } }
  }
}

extension OffersDatabase {
  /// The cached image of an offer, which counts as a use; nil when it is not cached, and for an
  /// offer without an image.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  public func findImage(of offer: Offer) async throws(OffersError) -> CachedImage? {
    guard let url = offer.imageURLText else { return nil }
    return try await findImage(url)
  }

  /// The cached image of an offer as a user sees it; the user does not matter.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  public func findImage(of offer: UserOffer) async throws(OffersError) -> CachedImage? {
    try await findImage(of: offer.offer)
  }
}

extension OffersDatabase {
  /// Records that the server confirmed the image as current. A validator that is nil keeps the
  /// stored one. Changes no image that is not cached, but removes a remembered failure of
  /// the URL.
  package func confirmImage(
    _ url: String, etag: String?, lastModified: String?, fetchedAt: Date, freshUntil: Date
  ) async throws(OffersError) {
    try await transaction(.image) { transaction in
      try ImageTable.confirm(
        url, etag: etag, lastModified: lastModified, fetchedAt: fetchedAt, freshUntil: freshUntil,
        in: transaction)
      try ImageFailureTable.delete(url, in: transaction)
    }
  }

  /// The copy of a cached image for lists, or the reason why there is none, which counts as a use of the
  /// image. Nil when the image is not cached, and when no copy was tried.
  package func findThumbnail(of url: String) async throws(OffersError) -> StoredThumbnail? {
    let found = try await transaction(.query) { try ThumbnailColumns.find(url, in: $0) }
    if found != nil { noteImageUse(of: url, isAsked: true) }
    return found
  }

  /// Stores the copy of an image for lists, or the reason why there is none. Does nothing if the image is
  /// not cached, or another one is cached for its URL. Both are forgotten when another image is put, and
  /// the reason when the server confirms the image.
  ///
  /// - Throws: `OffersError` with `limitExceeded` for a copy of more than `ImageCacheLimits.thumbnailBytes`.
  package func putThumbnail(
    _ content: StoredThumbnail.Content, colors: PictureColors? = nil, of image: CachedImage
  ) async throws(OffersError) {
    try content.check()
    try await transaction(.uncountedImage) {
      try ThumbnailColumns.put(content, colors, of: image, in: $0)
    }
  }

  /// The colors of the cached images of some offers, by the address of the image, which are known once the image has
  /// a copy. That is no use of an image.
  package func fetchPictureColors(
    of offers: [Offer]
  ) async throws(OffersError) -> [String: PictureColors] {
    let urls = Set(offers.compactMap(\.imageURLText))
    if urls.isEmpty { return [:] }
    return try await transaction(.query) { try ThumbnailColumns.colors(of: urls, in: $0) }
  }

  /// The remembered failure to fetch an image; nil when there is none or it has expired. One that
  /// would last for more than a day was stored under a clock that was ahead, and has expired, too.
  package func findFailure(of url: String, now: Date) async throws(OffersError) -> ImageFailure? {
    try await transaction(.query) { try ImageFailureTable.find(url, now: now, in: $0) }
  }

  /// Remembers a failure to fetch an image. Only a bounded number of failures is kept: those that expire last.
  package func putFailure(_ failure: ImageFailure) async throws(OffersError) {
    try await transaction(.image) { try ImageFailureTable.put(failure, in: $0) }
  }

  /// Forgets the failures that expire at a time or earlier.
  package func forgetFailures(until time: Date) async throws(OffersError) {
    try await transaction(.image) { try ImageFailureTable.clear(until: time, in: $0) }
  }
}

extension OffersDatabase {
  /// The offers whose images a user is most likely to look at, to fetch them ahead: favorites of any user,
  /// most recently starred first, then the newest offers.
  ///
  /// - Returns: as many offers as the image cache holds images, at most. Each has an image URL, and
  ///   no two have the same.
  /// - Throws: `OffersError` with `storageFailed`.
  public func fetchOffersWithWantedImages() async throws(OffersError) -> [Offer] {
    try await transaction(.read) { [user] transaction in
      let keys = try PrefetchQuery.offerKeys(in: transaction)
      return try OfferTable.list(keys: keys, of: user, in: transaction).map(\.offer.offer)
    }
  }
}

/// The SQL that chooses images to fetch ahead.
enum PrefetchQuery {
  /// More offers than the cache holds images, because several may share an image.
  private static let newestFactor = 10

  static func offerKeys(in transaction: any Transaction) throws -> [Int64] {
    let limit = try ImageTable.limit(in: transaction)
    let images =
      try transaction.rows(favorites, [], image)
      + transaction.rows(newest, [.date(Date()), .count(newestFactor * limit)], image)
    var seen: Set<String> = []
    return Array(images.filter { seen.insert($0.url).inserted }.prefix(limit).map(\.offerKey))
  }

  private static func image(_ row: any SQLRow) -> (offerKey: Int64, url: String) {
    (row.number(0), row.text(1))
  }

  private static let favorites = """
    SELECT offer.offer_key, offer.image_url
    FROM (SELECT feed, id, max(created_at) AS created_at FROM favorite GROUP BY feed, id) AS starred
    JOIN feed ON feed.name = starred.feed
    JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = starred.id
    WHERE offer.image_url IS NOT NULL
    ORDER BY starred.created_at DESC, feed.name, offer.id
    """

  private static let newest = """
    SELECT offer.offer_key, offer.image_url FROM offer
    WHERE \(OfferColumns.isCurrent) AND offer.image_url IS NOT NULL
      AND (offer.expires_at IS NULL OR offer.expires_at > $1)
    ORDER BY offer.offer_key DESC LIMIT $2
    """
}
