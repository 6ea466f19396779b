import Foundation
import GRDB
import OffersCore

/// The SQL for images and how they were used.
enum ImageTable {
  /// An image's place and when it was last used.
  struct Place {
    let slot: Int64
    let url: String
    let useOrder: Int64
  }

  private static let findSQL = """
    SELECT content_type, width, height, etag, last_modified, fetched_at, fresh_until, bytes
    FROM image_cache WHERE url = ?
    """
  private static let slotSQL = "SELECT slot FROM image_cache WHERE url = ?"

  static func find(_ url: String, in database: Database) throws -> CachedImage? {
    let statement = try RawStatement(cached: findSQL, database)
    defer { statement.reset() }
    statement.bind(1, copying: url)
    guard try statement.step(), let type = statement.string(0),
      let format = ImageFormat(contentType: type)
    else { return nil }
    return CachedImage(
      url: url, bytes: statement.bytes(7),
      header: ImageHeader(
        format: format, width: Int(statement.number(1)), height: Int(statement.number(2))),
      etag: statement.string(3), lastModified: statement.string(4),
      fetchedAt: OfferTable.date(statement.number(5)),
      freshUntil: OfferTable.date(statement.number(6)))
  }

  static func findSlot(of url: String, in database: Database) throws -> Int64? {
    let statement = try RawStatement(cached: slotSQL, database)
    defer { statement.reset() }
    statement.bind(1, copying: url)
    return try statement.step() ? statement.number(0) : nil
  }

  /// Puts an image into a place, over the one that may be there: its pages are used again, at half
  /// the cost of removing a row and making one.
  static func put(_ image: CachedImage, slot: Int64, isFree: Bool, in database: Database) throws {
    let statement = try RawStatement(
      cached: isFree
        ? """
        INSERT INTO image_cache (url, content_type, width, height, etag, last_modified, fetched_at,
          fresh_until, bytes, slot)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
        : """
        UPDATE image_cache
        SET url = ?, content_type = ?, width = ?, height = ?, etag = ?, last_modified = ?,
          fetched_at = ?, fresh_until = ?, bytes = ?
        WHERE slot = ?
        """, database)
    statement.bind(1, copying: image.url)
    statement.bind(2, copying: image.header.format.contentType)
    statement.bind(3, Int64(image.header.width))
    statement.bind(4, Int64(image.header.height))
    statement.bind(5, copying: image.etag)
    statement.bind(6, copying: image.lastModified)
    statement.bind(7, seconds(image.fetchedAt))
    statement.bind(8, seconds(image.freshUntil))
    statement.bind(9, copying: image.bytes)
    statement.bind(10, slot)
    try statement.run()
    // The kept statement would keep the bytes, too.
    statement.bindNull(9)
  }

  static func confirm(
    _ url: String, etag: String?, lastModified: String?, fetchedAt: Date, freshUntil: Date,
    in database: Database
  ) throws {
    try database.execute(
      sql: """
        UPDATE image_cache
        SET etag = coalesce(?, etag), last_modified = coalesce(?, last_modified), fetched_at = ?,
          fresh_until = ?
        WHERE url = ?
        """,
      arguments: [etag, lastModified, seconds(fetchedAt), seconds(freshUntil), url])
  }

  /// The places that are taken, the longest unused first.
  static func places(in database: Database) throws -> [Place] {
    let statement = try RawStatement(
      cached: """
        SELECT image_cache.slot, image_cache.url, coalesce(image_use.use_order, 0)
        FROM image_cache LEFT JOIN image_use USING (slot)
        ORDER BY 3, 1
        """, database)
    defer { statement.reset() }
    var places: [Place] = []
    while try statement.step() {
      places.append(
        Place(
          slot: statement.number(0), url: statement.string(1) ?? "",
          useOrder: statement.number(2)))
    }
    return places
  }

  /// The addresses of the images that favorites have.
  static func favoriteURLs(in database: Database) throws -> Set<String> {
    try Set(
      String.fetchAll(
        database.cachedStatement(
          sql: """
            SELECT offer.image_url
            FROM favorite
            JOIN feed ON feed.name = favorite.feed
            JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
            WHERE offer.image_url IS NOT NULL
            """)))
  }

  /// Writes uses down, in their order, as later than all before.
  static func note(_ batch: ImageUses.Batch, in database: Database) throws {
    if batch.isEmpty { return }
    for url in batch.urls {
      if let slot = try findSlot(of: url, in: database) { try use(slot, in: database) }
    }
    try count(hits: batch.hits, misses: batch.misses, in: database)
  }

  /// Makes a place the last used one.
  static func use(_ slot: Int64, in database: Database) throws {
    let statement = try RawStatement(
      cached: """
        INSERT INTO image_use (slot, use_order)
        SELECT ?1, coalesce(max(use_order), 0) + 1 FROM image_use WHERE true
        ON CONFLICT (slot) DO UPDATE SET use_order = excluded.use_order
        """, database)
    statement.bind(1, slot)
    try statement.run()
  }

  static func count(
    hits: Int = 0, misses: Int = 0, evictions: Int = 0, in database: Database
  ) throws {
    let statement = try RawStatement(
      cached: """
        UPDATE image_tally
        SET hit_count = hit_count + ?, miss_count = miss_count + ?,
          eviction_count = eviction_count + ?
        """, database)
    for (index, count) in [hits, misses, evictions].enumerated() {
      statement.bind(Int32(index + 1), Int64(count))
    }
    try statement.run()
  }

  /// How often images were asked for and were there, or were not, and how often one had to go.
  static func tally(in database: Database) throws -> (hits: Int, misses: Int, evictions: Int) {
    let row = try Row.fetchOne(
      database, sql: "SELECT hit_count, miss_count, eviction_count FROM image_tally")
    return (row?["hit_count"] ?? 0, row?["miss_count"] ?? 0, row?["eviction_count"] ?? 0)
  }

  /// The images without their bytes, the last used first.
  static func summaries(
    favorites: Set<String>, in database: Database
  ) throws -> [CachedImageSummary] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT url, content_type, width, height, length(bytes) AS size_bytes, fetched_at,
          fresh_until
        FROM image_cache LEFT JOIN image_use USING (slot)
        ORDER BY coalesce(image_use.use_order, 0) DESC, slot DESC
        """
    ).compactMap { row in
      guard let format = ImageFormat(contentType: row["content_type"]) else { return nil }
      return CachedImageSummary(
        url: row["url"],
        header: ImageHeader(format: format, width: row["width"], height: row["height"]),
        sizeBytes: row["size_bytes"], fetchedAt: OfferTable.date(row["fetched_at"]),
        freshUntil: OfferTable.date(row["fresh_until"]), isFavorite: favorites.contains(row["url"]))
    }
  }

  /// The images whose bytes are not what is noted of them, and how many there are in all.
  static func findDamaged(in database: Database) throws -> (count: Int, damaged: [Int64]) {
    let rows = try RawStatement(
      database, "SELECT slot, content_type, width, height, bytes FROM image_cache ORDER BY slot")
    defer { rows.reset() }
    var found: (count: Int, damaged: [Int64]) = (0, [])
    while try rows.step() {
      let bytes = rows.bytes(4)
      found.count += 1
      // What cannot be read is damaged, whatever is wrong with it.
      let header = try? ImageHeader(reading: bytes)
      if header?.format.contentType != rows.string(1) || header?.width != Int(rows.number(2))
        || header?.height != Int(rows.number(3))
      {
        found.damaged.append(rows.number(0))
      }
    }
    return found
  }

  static func delete(_ slots: [Int64], in database: Database) throws {
    for table in ["image_cache", "image_use"] {
      for slot in slots {
        try database.execute(sql: "DELETE FROM \(table) WHERE slot = ?", arguments: [slot])
      }
    }
  }

  /// Removes all of them. Returns how many there were.
  static func clear(in database: Database) throws -> Int {
    try database.execute(sql: "DELETE FROM image_cache")
    let count = database.changesCount
    try database.execute(
      sql: """
        DELETE FROM image_use;
        UPDATE image_tally SET hit_count = 0, miss_count = 0, eviction_count = 0;
        """)
    return count
  }

  private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970) }
}
