import GRDB

/// The SQL for the slots of the image cache, whose number is the cache's limit.
enum CacheSlotTable {
  static func count(in database: Database) throws -> Int {
    let statement = try RawStatement(cached: "SELECT count(*) FROM cache_slot", database)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.number(0)) : 0
  }

  /// The lowest slot without an image; nil if the cache is full.
  static func findFree(in database: Database) throws -> Int64? {
    let statement = try RawStatement(
      cached: """
        SELECT slot FROM cache_slot WHERE slot NOT IN (SELECT slot FROM image_cache)
        ORDER BY slot LIMIT 1
        """, database)
    defer { statement.reset() }
    return try statement.step() ? statement.number(0) : nil
  }

  /// Inserts or deletes free slots, until there are `count`. The cache must not have more than
  /// `count` images.
  static func setCount(_ count: Int, in database: Database) throws {
    let missing = try count - self.count(in: database)
    if missing > 0 {
      try database.execute(
        sql: """
          WITH RECURSIVE number (slot) AS (
            SELECT 1 UNION ALL SELECT slot + 1 FROM number WHERE slot < 10000)
          INSERT INTO cache_slot (slot)
          SELECT slot FROM number WHERE slot NOT IN (SELECT slot FROM cache_slot)
          ORDER BY slot LIMIT ?
          """, arguments: [missing])
    } else if missing < 0 {
      try database.execute(
        sql: """
          DELETE FROM cache_slot WHERE slot IN (
            SELECT slot FROM cache_slot WHERE slot NOT IN (SELECT slot FROM image_cache)
            ORDER BY slot DESC LIMIT ?)
          """, arguments: [-missing])
    }
  }
}
