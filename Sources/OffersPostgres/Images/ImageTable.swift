import Foundation
import OffersCore

/// The SQL for cached images, failures to fetch them, and leases.
enum ImageTable {
  static func find(_ url: String, in session: DatabaseSession) throws -> CachedImage? {
    if url.utf8.contains(0) { return nil }
    let row = try session.rows(
      """
      SELECT content_type, width, height, etag, last_modified, fetched_at, fresh_until, bytes
      FROM image_cache WHERE url = $1
      """, [.text(url)]
    ).first
    guard let row, let format = ImageFormat(contentType: row.text(0)) else { return nil }
    return CachedImage(
      url: url, bytes: row.findBytes(7).map { Array($0) } ?? [],
      header: ImageHeader(
        format: format, width: row.count(1), height: row.count(2)),
      etag: row.findText(3), lastModified: row.findText(4), fetchedAt: row.date(5),
      freshUntil: row.date(6))
  }

  static func holds(_ url: String, in session: DatabaseSession) throws -> Bool {
    try !url.utf8.contains(0)
      && session.rows("SELECT 1 FROM image_cache WHERE url = $1", [.text(url)]).count > 0
  }

  static func put(_ image: CachedImage, in session: DatabaseSession) throws {
    let columns = [
      "content_type", "width", "height", "etag", "last_modified", "fetched_at", "fresh_until",
      "bytes",
    ]
    try session.run(
      """
      INSERT INTO image_cache (url, \(columns.joined(separator: ", ")))
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (url) DO UPDATE
      SET \(columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
      """,
      [
        .text(image.url), .text(image.header.format.contentType),
        .number(Int64(image.header.width)), .number(Int64(image.header.height)),
        .text(image.etag), .text(image.lastModified), .date(image.fetchedAt),
        .date(image.freshUntil), .bytes(image.bytes),
      ])
  }

  static func confirm(
    _ url: String, etag: String?, lastModified: String?, fetchedAt: Date, freshUntil: Date,
    in session: DatabaseSession
  ) throws {
    try session.run(
      """
      UPDATE image_cache
      SET etag = coalesce($2, etag), last_modified = coalesce($3, last_modified), fetched_at = $4,
        fresh_until = $5, thumbnail_problem = NULL
      WHERE url = $1
      """,
      [.text(url), .text(etag), .text(lastModified), .date(fetchedAt), .date(freshUntil)])
  }

  static func delete(_ urls: [String], in session: DatabaseSession) throws {
    if urls.isEmpty { return }
    try session.run("DELETE FROM image_cache WHERE url = ANY($1)", [.texts(urls)])
  }

  /// The URLs of the cached images of favorites of any user.
  static func favoriteURLs(in session: DatabaseSession) throws -> Set<String> {
    Set(
      try session.rows(
        """
        SELECT DISTINCT image_cache.url FROM favorite JOIN feed ON feed.name = favorite.feed
        JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
        JOIN image_cache ON image_cache.url = offer.image_url
        """
      ).map { $0.text(0) })
  }

  /// Adds to the counts of hits, misses and evictions.
  static func count(_ batch: ImageUses.Batch, in session: DatabaseSession) throws {
    try session.run(
      """
      UPDATE image_tally SET hit_count = hit_count + $1, miss_count = miss_count + $2,
        eviction_count = eviction_count + $3
      WHERE tally_key = 1
      """,
      [
        .number(Int64(batch.hits)), .number(Int64(batch.misses)),
        .number(Int64(batch.evictions)),
      ])
  }

  /// The limit, and the numbers of hits, misses and evictions.
  static func tally(in session: DatabaseSession) throws -> [Int] {
    let row = try session.rows(
      "SELECT image_limit, hit_count, miss_count, eviction_count FROM image_tally"
    ).first
    return (0..<4).map { row?.count($0) ?? 0 }
  }

  /// The images without their bytes, most recently used first.
  static func summaries(in session: DatabaseSession) throws -> [CachedImageSummary] {
    let favorites = try favoriteURLs(in: session)
    return try session.rows(
      """
      SELECT image_cache.url, content_type, width, height, length(bytes), fetched_at, fresh_until
      FROM image_cache LEFT JOIN image_use ON image_use.url = image_cache.url
      ORDER BY coalesce(image_use.use_order, 0) DESC, image_cache.url DESC
      """
    ).map { row in
      ImageFormat(contentType: row.text(1)).map { format in
        CachedImageSummary(
          url: row.text(0),
          header: ImageHeader(
            format: format, width: row.count(2), height: row.count(3)),
          sizeBytes: row.count(4), fetchedAt: row.date(5), freshUntil: row.date(6),
          isFavorite: favorites.contains(row.text(0)))
      }
    }.compactMap(\.self)
  }

  /// Removes all images, failures, leases and uses, and resets the counts. Returns the number of
  /// images.
  static func clear(in session: DatabaseSession) throws -> Int {
    let count = try session.run("DELETE FROM image_cache")
    try session.run("DELETE FROM image_failure")
    try session.run("DELETE FROM image_lease")
    try session.run("UPDATE image_tally SET hit_count = 0, miss_count = 0, eviction_count = 0")
    return count
  }
}
