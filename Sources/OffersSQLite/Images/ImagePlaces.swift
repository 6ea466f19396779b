import GRDB
import OffersCore

/// The occupied slots of the image cache and the order of their last uses.
struct ImagePlaces {
  private typealias Place = (slot: Int64, useOrder: Int64)

  private var places: [Place] = []
  private var lastOrder: Int64 = 0
  /// The maximum number of images.
  let limit: Int

  init(_ database: Database) throws {
    limit = try CacheSlotTable.count(in: database)
    // Without ORDER BY, so that SQLite reads the slots from the small index of URLs instead of the
    // table, whose rows contain the images.
    let statement = try RawStatement(
      cached: """
        SELECT image_cache.slot, coalesce(image_use.use_order, 0)
        FROM image_cache LEFT JOIN image_use USING (slot)
        """, database)
    defer { statement.reset() }
    while try statement.step() {
      places.append((slot: statement.number(0), useOrder: statement.number(1)))
      lastOrder = max(lastOrder, statement.number(1))
    }
  }

  var isFull: Bool { places.count >= limit }

  /// The slot to evict: the least recently used one that is not exempt. Nil if there is none, which
  /// never happens in a full cache.
  ///
  /// - Parameter favorites: the slots of favorites' images.
  func findOldest(favorites: Set<Int64>) -> Int64? {
    let exempt = exempt(favorites, limit: limit)
    return places.lazy.filter { !exempt.contains($0.slot) }.min(by: Self.isOlder)?.slot
  }

  /// The slots to evict so that at most `limit` images remain, least recently used first. The
  /// images that are exempt under that limit are kept. `favorites` are the slots of favorites'
  /// images.
  func surplus(over limit: Int, favorites: Set<Int64>) -> [Int64] {
    let exempt = exempt(favorites, limit: limit)
    return places.filter { !exempt.contains($0.slot) }.sorted(by: Self.isOlder)
      .prefix(max(0, places.count - limit)).map(\.slot)
  }

  /// The most recently used images of favorites, up to `ImageBounds.favoriteImages(of:)`: always
  /// fewer than the limit.
  private func exempt(_ favorites: Set<Int64>, limit: Int) -> Set<Int64> {
    Set(
      places.filter { favorites.contains($0.slot) }.sorted { Self.isOlder($1, $0) }
        .prefix(ImageBounds.favoriteImages(of: limit)).map(\.slot))
  }

  private static func isOlder(_ left: Place, _ right: Place) -> Bool {
    (left.useOrder, left.slot) < (right.useOrder, right.slot)
  }

  /// Makes a slot the most recently used one, here and in the database.
  mutating func use(_ slot: Int64, in database: Database) throws {
    lastOrder = lastOrder.adding(clamped: 1)
    if let index = places.firstIndex(where: { $0.slot == slot }) {
      places[index].useOrder = lastOrder
    }
    let statement = try RawStatement(
      cached: """
        INSERT INTO image_use (slot, use_order) VALUES (?, ?)
        ON CONFLICT (slot) DO UPDATE SET use_order = excluded.use_order
        """, database)
    statement.bind(1, slot)
    statement.bind(2, lastOrder)
    try statement.run()
  }
}
