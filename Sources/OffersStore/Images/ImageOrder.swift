import OffersCore

/// The cached images in the order of their last uses.
struct ImageOrder {
  /// The URLs, the least recently used one first.
  private(set) var urls: [String]
  private let favorites: Set<String>
  /// The maximum number of images.
  let limit: Int
  private var lastOrder: Int64

  /// Reads the order. Other transactions that change it wait for the end of this one.
  init(locking transaction: any Transaction) throws {
    let lock = transaction.dialect.forUpdate
    limit =
      try transaction.first("SELECT image_limit FROM image_tally WHERE tally_key = 1 \(lock)") {
        $0.count(0)
      } ?? 0
    let rows = try transaction.rows(
      """
      SELECT image_cache.url, coalesce(image_use.use_order, 0)
      FROM image_cache LEFT JOIN image_use ON image_use.url = image_cache.url
      ORDER BY coalesce(image_use.use_order, 0), image_cache.url
      """
    ) { (url: $0.text(0), order: Int64($0.count(1))) }
    urls = rows.map(\.url)
    lastOrder = rows.map(\.order).max() ?? 0
    favorites = try ImageTable.favoriteURLs(in: transaction)
  }

  /// The images to evict so that at most `limit` remain, least recently used first. The most recently
  /// used images of favorites, up to `ImageCacheLimits.favoriteImages(of:)`, are kept.
  func surplus(over limit: Int, count: Int) -> [String] {
    let exempt = Set(
      urls.reversed().filter(favorites.contains).prefix(ImageCacheLimits.favoriteImages(of: limit)))
    return Array(urls.filter { !exempt.contains($0) }.prefix(max(0, count)))
  }

  func holds(_ url: String) -> Bool { urls.contains(url) }

  /// Makes images the most recently used ones, in their order, here and in the database. Those that
  /// are not cached are left out.
  mutating func use(_ used: [String], in transaction: any Transaction) throws {
    let held = Set(urls)
    let used = used.filter(held.contains)
    if used.isEmpty { return }
    let moved = Set(used)
    urls = urls.filter { !moved.contains($0) } + used
    let orders = used.indices.map { lastOrder + Int64($0) + 1 }
    lastOrder += Int64(used.count)
    let new = transaction.dialect.table(
      ["url": .texts(used), "use_order": .numbers(orders)], as: "new")
    // Without the condition, SQLite takes ON for that of a join.
    try transaction.run(
      """
      INSERT INTO image_use (url, use_order) SELECT url, use_order FROM \(new.sql) WHERE true
      ON CONFLICT (url) DO UPDATE SET use_order = excluded.use_order
      """, new.values)
  }

  /// Adds an image that was stored.
  mutating func add(_ url: String) { if !holds(url) { urls.append(url) } }
}
