import GRDB
import OffersCore

/// The slots of the image cache and the order of their last uses.
struct ImagePlaces {
  private var places: [(slot: Int64, useOrder: Int64)] = []
  private var lastOrder: Int64 = 0

  init(_ database: Database) throws {
    places.reserveCapacity(ImageBounds.images)
    let count = try RawStatement(cached: "SELECT count(*) FROM image_cache", database)
    defer { count.reset() }
    let isFull = try count.step() && count.number(0) >= ImageBounds.images
    try read("SELECT slot, use_order FROM image_use", database)
    // If all slots are occupied and have a use, `image_use` alone lists them all.
    if isFull, places.count == ImageBounds.images { return }
    places.removeAll(keepingCapacity: true)
    try read(
      """
      SELECT image_cache.slot, coalesce(image_use.use_order, 0)
      FROM image_cache LEFT JOIN image_use USING (slot)
      ORDER BY image_cache.slot
      """, database)
  }

  private mutating func read(_ sql: String, _ database: Database) throws {
    let statement = try RawStatement(cached: sql, database)
    defer { statement.reset() }
    while try statement.step() {
      places.append((slot: statement.number(0), useOrder: statement.number(1)))
      lastOrder = max(lastOrder, statement.number(1))
    }
  }

  /// A free slot; nil if the cache is full.
  var free: Int64? {
    if places.count >= ImageBounds.images { return nil }
    let taken = Set(places.map(\.slot))
    return (1...Int64(ImageBounds.images)).first { !taken.contains($0) }
  }

  /// The slot to evict: the least recently used one that is not protected.
  ///
  /// - Parameter favorites: the slots of favorites' images. The most recently used of them are
  ///   protected, up to `ImageBounds.favoriteImages`.
  func oldest(favorites: Set<Int64>) -> Int64 {
    func isOlder(_ left: (slot: Int64, useOrder: Int64), _ right: (slot: Int64, useOrder: Int64))
      -> Bool
    {
      (left.useOrder, left.slot) < (right.useOrder, right.slot)
    }
    // Called only if no slot is free, so at least one is occupied.
    if favorites.isEmpty { return places.min(by: isOlder)?.slot ?? 1 }
    let sorted = places.sorted(by: isOlder)
    let kept = Set(
      sorted.reversed().lazy.map(\.slot).filter(favorites.contains)
        .prefix(ImageBounds.favoriteImages))
    return (sorted.first { !kept.contains($0.slot) } ?? sorted.first)?.slot ?? 1
  }

  /// Makes a slot the most recently used one.
  mutating func use(_ slot: Int64, in database: Database) throws {
    lastOrder += 1
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
