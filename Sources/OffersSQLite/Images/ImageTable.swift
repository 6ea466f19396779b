import Foundation
import GRDB
import OffersCore

/// The SQL for cached images and their uses.
enum ImageTable {
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
        format: format, width: pixels(statement.number(1)), height: pixels(statement.number(2))),
      etag: statement.string(3), lastModified: statement.string(4),
      fetchedAt: Date(storedSeconds: statement.number(5)),
      freshUntil: Date(storedSeconds: statement.number(6)))
  }

  /// A width or height that an image can have.
  private static func pixels(_ number: Int64) -> Int { Int(min(max(number, 1), Int64(Int32.max))) }

  static func findSlot(of url: String, in database: Database) throws -> Int64? {
    let statement = try RawStatement(cached: slotSQL, database)
    defer { statement.reset() }
    statement.bind(1, copying: url)
    return try statement.step() ? statement.number(0) : nil
  }

  /// Writes an image to a slot. Unless the slot `isFree`, its row is updated in place, because
  /// SQLite then reuses the row's pages.
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
          fetched_at = ?, fresh_until = ?, bytes = ?, thumbnail = NULL, thumbnail_problem = NULL
        WHERE slot = ?
        """, database)
    statement.bind(1, copying: image.url)
    statement.bind(2, copying: image.header.format.contentType)
    statement.bind(3, Int64(image.header.width))
    statement.bind(4, Int64(image.header.height))
    statement.bind(5, copying: image.etag)
    statement.bind(6, copying: image.lastModified)
    statement.bind(7, image.fetchedAt.storedSeconds)
    statement.bind(8, image.freshUntil.storedSeconds)
    statement.bind(10, slot)
    try image.bytes.withUnsafeBytes { bytes in
      statement.bind(9, bytes: bytes)
      // Unbind: the cached statement outlives the buffer.
      defer { statement.bindNull(9) }
      try statement.run()
    }
  }

  static func confirm(
    _ url: String, etag: String?, lastModified: String?, fetchedAt: Date, freshUntil: Date,
    in database: Database
  ) throws {
    try database.execute(
      sql: """
        UPDATE image_cache
        SET etag = coalesce(?, etag), last_modified = coalesce(?, last_modified), fetched_at = ?,
          fresh_until = ?, thumbnail_problem = NULL
        WHERE url = ?
        """,
      arguments: [etag, lastModified, fetchedAt.storedSeconds, freshUntil.storedSeconds, url])
  }

  /// The slots of favorites' images.
  static func favoriteSlots(in database: Database) throws -> Set<Int64> {
    let statement = try RawStatement(
      cached: """
        SELECT image_cache.slot
        FROM \(FavoriteTable.rows(of: nil))
        CROSS JOIN feed ON feed.name = favorite.feed
        CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
        CROSS JOIN image_cache ON image_cache.url = offer.image_url
        """, database)
    defer { statement.reset() }
    var slots: Set<Int64> = []
    while try statement.step() { slots.insert(statement.number(0)) }
    return slots
  }

  /// Records a batch: its images, in their order, become the most recently used ones, and its hits,
  /// misses and evictions are added to the tally.
  static func note(_ batch: ImageUses.Batch, in database: Database) throws {
    if batch.isEmpty { return }
    var places = try ImagePlaces(database)
    try note(batch.urls, &places, in: database)
    try count(batch, in: database)
  }

  static func note(
    _ urls: [String], _ places: inout ImagePlaces, in database: Database
  ) throws {
    for url in urls {
      if let slot = try findSlot(of: url, in: database) { try places.use(slot, in: database) }
    }
  }

  private static func count(_ batch: ImageUses.Batch, in database: Database) throws {
    let statement = try RawStatement(
      cached: """
        UPDATE image_tally
        SET hit_count = hit_count + ?, miss_count = miss_count + ?,
          eviction_count = eviction_count + ?
        """, database)
    for (index, count) in [batch.hits, batch.misses, batch.evictions].enumerated() {
      statement.bind(Int32(index + 1), Int64(count))
    }
    try statement.run()
  }

  /// Copies the counts of hits, misses and evictions from another database, into a table that must
  /// be empty.
  static func copyTally(from other: Database, to database: Database) throws {
    let tally = try tally(in: other)
    try database.execute(
      sql: """
        INSERT INTO image_tally (tally_key, hit_count, miss_count, eviction_count)
        VALUES (1, ?, ?, ?)
        """, arguments: [tally.hits, tally.misses, tally.evictions])
  }

  static func tally(in database: Database) throws -> (hits: Int, misses: Int, evictions: Int) {
    let row = try Row.fetchOne(
      database, sql: "SELECT hit_count, miss_count, eviction_count FROM image_tally")
    return (row?["hit_count"] ?? 0, row?["miss_count"] ?? 0, row?["eviction_count"] ?? 0)
  }

  /// The images without their bytes, most recently used first.
  static func summaries(in database: Database) throws -> [CachedImageSummary] {
    let favorites = try favoriteSlots(in: database)
    return try Row.fetchAll(
      database,
      sql: """
        SELECT slot, url, content_type, width, height, length(bytes) AS size_bytes, fetched_at,
          fresh_until
        FROM image_cache LEFT JOIN image_use USING (slot)
        ORDER BY coalesce(image_use.use_order, 0) DESC, slot DESC
        """
    ).compactMap { row in
      guard let format = ImageFormat(contentType: row["content_type"]) else { return nil }
      return CachedImageSummary(
        url: row["url"],
        header: ImageHeader(
          format: format, width: pixels(row["width"]), height: pixels(row["height"])),
        sizeBytes: row["size_bytes"], fetchedAt: Date(storedSeconds: row["fetched_at"]),
        freshUntil: Date(storedSeconds: row["fresh_until"]),
        isFavorite: favorites.contains(row["slot"])
      )
    }
  }

  /// The slots of images whose bytes have another format or size in pixels than their row states,
  /// or are unreadable as an image; and the number of all images.
  static func findDamaged(in database: Database) throws -> (count: Int, damaged: [Int64]) {
    let rows = try RawStatement(
      database,
      "SELECT slot, content_type, width, height, bytes, thumbnail FROM image_cache ORDER BY slot")
    defer { rows.reset() }
    var found: (count: Int, damaged: [Int64]) = (0, [])
    while try rows.step() {
      let bytes = rows.bytes(4)
      found.count += 1
      // An unreadable header is a damaged image, whatever the error.
      let header = try? ImageHeader(reading: bytes)
      let copy = rows.bytes(5)
      let isCopyDamaged = !copy.isEmpty && (try? ImageHeader(reading: copy)) == nil
      if isCopyDamaged || header?.format.contentType != rows.string(1)
        || header?.width != Int(rows.number(2))
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

  /// Removes all images and resets the counts. Returns the number of images.
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
}
