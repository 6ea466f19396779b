import GRDB
import OffersCore
import OffersStore

/// Reads the readable rows of a damaged database as records of an export.
///
/// Each table is read separately, around its damaged pages and without its indexes, so a damaged
/// page costs only its own rows. Only the names of unreadable feeds are read from an index: such a
/// feed is exported with only its name and the source and time of its last run. Changes of a lost offer
/// or run are omitted; a favorite is exported without its offer. Searches and read marks are omitted.
final class SalvageReader: SalvagedRecords {
  private let database: Database
  private let favoritesOnly: Bool
  private var accepts: (ExportRecord) -> Bool = { _ in true }
  private var favorites: SalvagedFavorites
  private let users: SalvagedUsers
  private let tables: SalvageStatements
  /// The names of feeds by their keys.
  private var feeds: [Int64: String] = [:]
  /// The offers that were read, by key.
  private var refs: [Int64: OfferRef] = [:]
  /// The offers of the first sync of a feed, by the key of its run, in the order of their keys.
  private var firstRefs: [Int64: [OfferRef]] = [:]
  /// The position of each run in the document, from 1, by its key.
  private var runs: [Int64: Int] = [:]
  /// The sections that are incomplete.
  private var cut: Set<ExportRecord.Section> = []

  init(_ database: Database, favoritesOnly: Bool) {
    self.database = database
    self.favoritesOnly = favoritesOnly
    favorites = SalvagedFavorites(database)
    tables = SalvageStatements(database)
    users = SalvagedUsers(database, table: tables.users)
  }

  /// Refuses a file in which neither offers nor favorites can be found.
  static func checkTables(in database: Database) throws {
    let names = ["offer", "favorite"]
    if names.contains(where: { (try? RawStatement(database, "SELECT 1 FROM \($0)")) != nil }) {
      return
    }
    throw DatabaseError(resultCode: .SQLITE_CORRUPT)
  }

  func forEachRecord(
    accepting accepts: @escaping (ExportRecord) -> Bool,
    _ body: (ExportRecord) throws -> Void
  ) throws -> [ExportRecord.Section] {
    self.accepts = accepts
    favorites.read()
    for feed in try readFeeds() where isWanted(feed: feed.name) { try body(.feed(feed)) }
    try forEachRun(body)
    try forEachOffer(body)
    try forEachChange(body)
    try forEachFavorite(of: try forEachUser(body), body)
    return ExportRecord.Section.allCases.filter(cut.contains)
  }

  private func isAccepted(_ record: ExportRecord) -> Bool {
    if accepts(record) { return true }
    cut.insert(record.section)
    return false
  }

  /// Whether a feed is exported. If only favorites are exported and some of them are unreadable,
  /// their feeds are unknown, so every feed is exported.
  private func isWanted(feed: String) -> Bool {
    !favoritesOnly || favorites.isCut || favorites.feeds.contains(feed)
  }

  /// Passes on the users.
  ///
  /// - Returns: their keys and names, in the order of an export.
  private func forEachUser(
    _ body: (ExportRecord) throws -> Void
  ) throws -> [(key: User.ID, name: String)] {
    let keys = users.keys.union(favorites.users).union([User.ownerID])
    if users.isCut { cut.insert(.users) }
    return try keys.sorted().compactMap { key in
      guard let user = users.records(of: key).first(where: { isAccepted(.user($0)) }) else {
        return nil
      }
      try body(.user(user))
      return (key, user.name)
    }
  }

  private func forEachFavorite(
    of users: [(key: User.ID, name: String)], _ body: (ExportRecord) throws -> Void
  ) throws {
    for user in users {
      for var favorite in favorites.all(of: user.key) {
        favorite.user = user.name
        if isAccepted(.favorite(favorite)) { try body(.favorite(favorite)) }
      }
    }
    if favorites.isCut { cut.insert(.favorites) }
  }

  private func forEachRow(
    of section: ExportRecord.Section, _ sql: String, _ body: (RawStatement) throws -> Void
  ) throws {
    // A missing table has no readable rows.
    guard let rows = try? SalvageRows(database, sql) else {
      cut.insert(section)
      return
    }
    if try !rows.forEach(body) { cut.insert(section) }
  }

  /// The feeds in the order of an export, by name.
  private func readFeeds() throws -> [ExportedFeed] {
    var found: [ExportedFeed] = []
    try forEachRow(
      of: .feeds,
      """
      SELECT feed_key, \(ExportedFeed.columns) FROM feed WHERE feed_key >= ?1 ORDER BY feed_key
      """
    ) { rows in
      let feed = ExportedFeed(rows, from: 1)
      guard let feed = [feed, feed.withoutDetails].first(where: { isAccepted(.feed($0)) }) else {
        return
      }
      found.append(feed)
      feeds[rows.number(0)] = feed.name
    }
    if cut.contains(.feeds) {
      try forEachName { key, name in
        let feed = bareFeed(name, key: key)
        guard feeds[key] == nil, isAccepted(.feed(feed)) else { return }
        found.append(feed)
        feeds[key] = name
      }
    }
    return found.sorted { $0.name < $1.name }.map { feed in
      var feed = feed
      feed.hideAddresses(isForOthers: favoritesOnly)
      return feed
    }
  }

  /// Passes the keys and names of feeds to `body`, read from the index on names in both directions.
  private func forEachName(_ body: (Int64, String) -> Void) throws {
    for direction in ["ASC", "DESC"] {
      let sql = """
        SELECT feed_key, name FROM feed INDEXED BY sqlite_autoindex_feed_1 ORDER BY name \(direction)
        """
      guard let rows = try? RawStatement(database, sql) else { return }
      defer { rows.reset() }
      // An unreadable page ends this direction; the other direction starts from the other end.
      while (try? rows.step()) == true { body(rows.number(0), rows.text(1)) }
    }
  }

  /// A feed of which only the name is left, with the source and the start of its last run.
  private func bareFeed(_ name: String, key: Int64) -> ExportedFeed {
    var feed = ExportedFeed()
    feed.name = name
    feed.source = "unknown"
    let runs = SalvagedDetail(
      database,
      """
      SELECT source, started_at FROM sync_run WHERE feed_key = ?1 ORDER BY run_id DESC LIMIT 1
      """)
    _ = runs.read(key) { run in
      feed.source = run.findText(0) ?? feed.source
      feed.subscribedAt = run.number(1)
    }
    return feed
  }

  private func forEachRun(_ body: (ExportRecord) throws -> Void) throws {
    try forEachRow(
      of: .runs,
      """
      SELECT run_id, feed_key, \(ExportedRun.columns) FROM sync_run AS run
      WHERE run_id >= ?1 ORDER BY run_id
      """
    ) { rows in
      guard let feed = feeds[rows.number(1)] else {
        cut.insert(.runs)
        return
      }
      guard isWanted(feed: feed) else { return }
      var run = ExportedRun(rows, from: 2, feed: feed)
      run.hideAddresses(isForOthers: favoritesOnly)
      guard isAccepted(.run(run)) else { return }
      runs[rows.number(0)] = runs.count + 1
      try body(.run(run))
    }
  }

  private func forEachOffer(_ body: (ExportRecord) throws -> Void) throws {
    let keys = users.keys.union(favorites.users).union([User.ownerID])
    try forEachRow(
      of: .offers,
      tables.offers
    ) { rows in
      guard let feed = feeds[rows.number(1)] else {
        cut.insert(.offers)
        return
      }
      let offer = ExportedOffer(rows, from: 3, feed: feed)
      if favorites.isCut { favorites.find(offer.ref, of: keys) }
      guard !favoritesOnly || favorites.contains(offer.ref) else { return }
      let records: [ExportRecord] = [.offer(offer), .offer(offer.withoutDetails)]
      guard let record = records.first(where: isAccepted) else { return }
      refs[rows.number(0)] = offer.ref
      if let run = rows.findNumber(2) { firstRefs[run, default: []].append(offer.ref) }
      try body(record)
    }
  }

  /// The read offers among `count` consecutive keys that end with `key`, in their order.
  private func refs(upTo key: Int64, count: Int64) -> [OfferRef] {
    if count <= 1 { return [refs[key]].compactMap(\.self) }
    let first = key.subtracting(clamped: count)
    return refs.keys.filter { $0 > first && $0 <= key }.sorted().compactMap { refs[$0] }
  }

  private func forEachChange(_ body: (ExportRecord) throws -> Void) throws {
    try forEachRow(
      of: .changes,
      tables.changes
    ) { rows in
      guard let run = runs[rows.number(2)] else { return }
      let kind = rows.text(3)
      let changed =
        kind == "first"
        ? firstRefs[rows.number(2)] ?? [] : refs(upTo: rows.number(1), count: rows.number(5))
      for ref in changed {
        let change = ExportedChange(kind, fields: rows.findText(4), of: ref, run: run)
        if isAccepted(.change(change)) { try body(.change(change)) }
      }
    }
  }
}

extension ExportedFeed {
  /// The feed with only its name and what is needed.
  fileprivate var withoutDetails: ExportedFeed {
    var feed = ExportedFeed()
    feed.name = name
    feed.source = source
    feed.subscribedAt = subscribedAt
    return feed
  }
}

extension ExportedOffer {
  /// The offer without the fields that an offer need not have.
  fileprivate var withoutDetails: ExportedOffer {
    var offer = self
    for field in OfferField.details { offer[field] = nil }
    offer.startsAt = nil
    offer.expiresAt = nil
    offer.latitude = nil
    offer.longitude = nil
    return offer
  }
}
