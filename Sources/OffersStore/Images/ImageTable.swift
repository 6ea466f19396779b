import Foundation
import OffersCore

/// The SQL for cached images.
package enum ImageTable {
  static func find(_ url: String, in transaction: any Transaction) throws -> CachedImage? {
    if !StoredText.isStorable(url) { return nil }
    return try transaction.first(
      """
      SELECT content_type, width, height, etag, last_modified, fetched_at, fresh_until, bytes
      FROM image_cache WHERE url = $1
      """, [.text(url)]
    ) { row -> CachedImage? in
      header(row, from: 0).map {
        CachedImage(
          url: url, bytes: row.blob(7), header: $0, etag: row.findText(3),
          lastModified: row.findText(4), fetchedAt: row.date(5), freshUntil: row.date(6))
      }
    }.flatMap(\.self)
  }

  /// The format and the size in pixels in three columns; nil for an unknown format.
  private static func header(_ row: any SQLRow, from column: Int) -> ImageHeader? {
    func pixels(_ column: Int) -> Int { min(max(row.count(column), 1), Int(Int32.max)) }
    return ImageFormat(contentType: row.text(column)).map {
      ImageHeader(format: $0, width: pixels(column + 1), height: pixels(column + 2))
    }
  }

  static func holds(_ url: String, in transaction: any Transaction) throws -> Bool {
    try StoredText.isStorable(url)
      && transaction.exists("SELECT 1 FROM image_cache WHERE url = $1", [.text(url)])
  }

  /// The reason, in a row that an UPDATE changes, why the image has no copy for lists. It is kept until the
  /// server confirms the image after a day without a request, so that a server whose image is never fresh
  /// does not have it tried at each use.
  ///
  /// - Parameter time: the time of the request, in SQL.
  private static func keptProblem(at time: String) -> String {
    """
    CASE WHEN image_cache.fetched_at > \(time) - \(Int64(ImageCacheLimits.failureSeconds))
      THEN image_cache.thumbnail_problem END
    """
  }

  static func put(_ image: CachedImage, in transaction: any Transaction) throws {
    let columns = [
      "content_type", "width", "height", "etag", "last_modified", "fetched_at", "fresh_until",
      "bytes",
    ]
    try transaction.run(
      """
      DELETE FROM image_color
      WHERE url = $1 AND NOT EXISTS (SELECT 1 FROM image_cache WHERE url = $1 AND bytes = $2)
      """, [.text(image.url), .bytes(image.bytes)])
    try transaction.run(
      """
      INSERT INTO image_cache (url, \(columns.joined(separator: ", ")))
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (url) DO UPDATE
      SET \(columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")),
        thumbnail =
          CASE WHEN image_cache.bytes = excluded.bytes THEN image_cache.thumbnail END,
        thumbnail_problem = CASE WHEN image_cache.bytes = excluded.bytes
          THEN \(keptProblem(at: "excluded.fetched_at")) END
      """,
      [
        .text(image.url), .text(image.header.format.contentType),
        .count(image.header.width), .count(image.header.height),
        .text(image.etag), .text(image.lastModified), .date(image.fetchedAt),
        .date(image.freshUntil), .bytes(image.bytes),
      ])
  }

  static func confirm(
    _ url: String, etag: String?, lastModified: String?, fetchedAt: Date, freshUntil: Date,
    in transaction: any Transaction
  ) throws {
    try transaction.run(
      """
      UPDATE image_cache
      SET etag = coalesce($2, etag), last_modified = coalesce($3, last_modified), fetched_at = $4,
        fresh_until = $5, thumbnail_problem = \(keptProblem(at: "$4"))
      WHERE url = $1
      """,
      [.text(url), .text(etag), .text(lastModified), .date(fetchedAt), .date(freshUntil)])
  }

  package static func delete(_ urls: [String], in transaction: any Transaction) throws {
    if urls.isEmpty { return }
    try transaction.run(
      "DELETE FROM image_cache WHERE \(transaction.dialect.isElement("url", of: "$1"))",
      [.texts(urls)])
  }

  static func urls(in transaction: any Transaction) throws -> Set<String> {
    Set(try transaction.rows("SELECT url FROM image_cache ORDER BY url") { $0.text(0) })
  }

  /// Gives images new addresses that lead to the same, with their uses and copies. One whose new address is
  /// cached already stays.
  static func move(_ urls: [String: String], in transaction: any Transaction) throws {
    if urls.isEmpty { return }
    _ = try ImageOrder(locking: transaction)
    for (old, new) in urls.sorted(by: { $0.key < $1.key }) {
      try transaction.run(
        """
        UPDATE image_cache SET url = $2
        WHERE url = $1 AND NOT EXISTS (SELECT 1 FROM image_cache AS other WHERE other.url = $2)
        """, [.text(old), .text(new)])
    }
  }

  /// The URLs of the cached images of favorites of any user.
  static func favoriteURLs(in transaction: any Transaction) throws -> Set<String> {
    Set(
      try transaction.rows(
        """
        SELECT DISTINCT image_cache.url FROM \(OfferColumns.favoriteSource)
        JOIN image_cache ON image_cache.url = offer.image_url
        """
      ) { $0.text(0) })
  }

  /// Records a batch: its images, in their order, become the most recently used ones, and its hits,
  /// misses and evictions are added to the tally.
  package static func note(_ batch: PendingImageUses.Batch, in transaction: any Transaction) throws
  {
    if batch.isEmpty { return }
    var order = try ImageOrder(locking: transaction)
    try order.use(batch.urls, in: transaction)
    try transaction.run(
      """
      UPDATE image_tally SET hit_count = hit_count + $1, miss_count = miss_count + $2,
        eviction_count = eviction_count + $3
      WHERE tally_key = 1
      """, [.count(batch.hits), .count(batch.misses), .count(batch.evictions)])
  }

  /// The limit of the cache, and how often it was used.
  struct Tally {
    var limit = 0
    var hits = 0
    var misses = 0
    var evictions = 0
  }

  static func tally(in transaction: any Transaction) throws -> Tally {
    try transaction.first(
      "SELECT image_limit, hit_count, miss_count, eviction_count FROM image_tally"
    ) { Tally(limit: $0.count(0), hits: $0.count(1), misses: $0.count(2), evictions: $0.count(3)) }
      ?? Tally()
  }

  /// The maximum number of images.
  package static func limit(in transaction: any Transaction) throws -> Int {
    try tally(in: transaction).limit
  }

  static func setLimit(_ limit: Int, in transaction: any Transaction) throws {
    try transaction.run("UPDATE image_tally SET image_limit = $1", [.count(limit)])
  }

  /// The images without their bytes, most recently used first.
  static func summaries(in transaction: any Transaction) throws -> [CachedImageSummary] {
    let favorites = try favoriteURLs(in: transaction)
    return try transaction.rows(
      """
      SELECT image_cache.url, content_type, width, height, length(bytes), fetched_at, fresh_until
      FROM image_cache LEFT JOIN image_use ON image_use.url = image_cache.url
      ORDER BY coalesce(image_use.use_order, 0) DESC, image_cache.url DESC
      """
    ) { row in
      header(row, from: 1).map {
        CachedImageSummary(
          url: row.text(0), header: $0, sizeBytes: row.count(4), fetchedAt: row.date(5),
          freshUntil: row.date(6), isFavorite: favorites.contains(row.text(0)))
      }
    }.compactMap(\.self)
  }

  /// Removes all images, failures and uses, and resets the counts. Returns the number of
  /// images.
  static func clear(in transaction: any Transaction) throws -> Int {
    let count = try transaction.run("DELETE FROM image_cache")
    try transaction.run("DELETE FROM image_failure")
    try transaction.run("UPDATE image_tally SET hit_count = 0, miss_count = 0, eviction_count = 0")
    return count
  }
}

/// The SQL for small copies of images. A copy is in the row of its image, and is removed when the image is
/// replaced.
enum ThumbnailColumns {
  static func find(_ url: String, in transaction: any Transaction) throws -> StoredThumbnail? {
    if !StoredText.isStorable(url) { return nil }
    return try transaction.first(
      """
      SELECT fetched_at, fresh_until, length(bytes), thumbnail, thumbnail_problem, width
      FROM image_cache
      WHERE url = $1 AND (thumbnail IS NOT NULL OR thumbnail_problem IS NOT NULL)
      """, [.text(url)]
    ) { row in
      let content =
        row.findText(4).map { StoredThumbnail.Content.problem($0) } ?? .copy(row.blob(3))
      return StoredThumbnail(
        content: content, imageBytes: row.count(2), imageWidth: row.count(5),
        fetchedAt: row.date(0),
        freshUntil: row.date(1))
    }
  }

  /// The colors of the cached images of some URLs, by URL.
  static func colors(
    of urls: Set<String>, in transaction: any Transaction
  ) throws -> [String: PictureColors] {
    let asked = urls.filter(StoredText.isStorable).sorted()
    if asked.isEmpty { return [:] }
    let found = try transaction.rows(
      """
      SELECT url, colors FROM image_color
      WHERE \(transaction.dialect.isElement("url", of: "$1")) ORDER BY url
      """, [.texts(asked)]
    ) { ($0.text(0), PictureColors(storedText: $0.text(1))) }
    return Dictionary(found, uniquingKeysWith: { one, _ in one })
  }

  /// Writes the copy of an image, or the reason why there is none, and its colors, unless the row has another
  /// image.
  static func put(
    _ content: StoredThumbnail.Content, _ colors: PictureColors?, of image: CachedImage,
    in transaction: any Transaction
  ) throws {
    if !StoredText.isStorable(image.url) { return }
    var copy: [UInt8]?
    var problem: String?
    switch content {
    case .copy(let bytes): copy = bytes
    case .problem(let text): problem = text
    }
    let isCached =
      try transaction.run(
        "UPDATE image_cache SET thumbnail = $3, thumbnail_problem = $4 WHERE url = $1 AND bytes = $2",
        [.text(image.url), .bytes(image.bytes), .bytes(copy), .text(problem)]) > 0
    guard isCached, let colors else { return }
    try transaction.run(
      """
      INSERT INTO image_color (url, colors) VALUES ($1, $2)
      ON CONFLICT (url) DO UPDATE SET colors = excluded.colors
      """, [.text(image.url), .text(colors.storedText)])
  }
}

/// The SQL for failures to fetch images.
enum ImageFailureTable {
  /// The most failures that are kept: those that expire last.
  private static let limit = 200

  /// A failure that would last for more than a day was stored under a clock that was ahead, and has
  /// expired.
  private static let isValid =
    "until > $1 AND until <= $1 + \(Int64(ImageCacheLimits.failureSeconds))"

  static func find(
    _ url: String, now: Date, in transaction: any Transaction
  ) throws -> ImageFailure? {
    if !StoredText.isStorable(url) { return nil }
    return try transaction.first(
      "SELECT url, code, reason, until FROM image_failure WHERE url = $2 AND \(isValid)",
      [.date(now), .text(url)], failure)
  }

  /// The failures that have not expired, those that expire last first.
  static func all(now: Date, in transaction: any Transaction) throws -> [ImageFailure] {
    try transaction.rows(
      """
      SELECT url, code, reason, until FROM image_failure WHERE \(isValid)
      ORDER BY until DESC, url
      """, [.date(now)], failure)
  }

  static func put(_ failure: ImageFailure, in transaction: any Transaction) throws {
    try transaction.run(
      """
      INSERT INTO image_failure (url, code, reason, until) VALUES ($1, $2, $3, $4)
      ON CONFLICT (url) DO UPDATE
      SET code = excluded.code, reason = excluded.reason, until = excluded.until
      """,
      [
        .text(failure.url), .text(failure.code.rawValue), .text(failure.reason),
        .date(failure.until),
      ])
    try transaction.run(
      """
      DELETE FROM image_failure WHERE url IN (
        SELECT url FROM image_failure ORDER BY until DESC, url
        \(transaction.dialect.offset(String(limit))))
      """)
  }

  static func delete(_ url: String, in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM image_failure WHERE url = $1", [.text(url)])
  }

  static func clear(until time: Date, in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM image_failure WHERE until <= $1", [.date(time)])
  }

  private static func failure(_ row: any SQLRow) -> ImageFailure {
    ImageFailure(
      url: row.text(0), code: OffersError.Code(rawValue: row.text(1)) ?? .sourceFailed,
      reason: row.text(2), until: row.date(3))
  }
}
