import GRDB
import OffersCore
import OffersStore

/// Reads a database as records of an export, in the order of the document.
final class ExportQuery: ExportBody {
  private let database: Database
  private let favoritesOnly: Bool
  private let withSearches: Bool
  /// The user whose record is exported; nil for all users.
  private let user: User.ID?
  /// The position of each run in the document, from 1, by its key; changes refer to it.
  private var runs: [Int64: Int] = [:]
  /// The exported offers by key, if only favorites are exported; otherwise empty.
  private var favorites = OfferRefs()

  init(_ database: Database, of user: User.ID?, favoritesOnly: Bool, withSearches: Bool) {
    self.database = database
    self.user = user
    self.favoritesOnly = favoritesOnly
    self.withSearches = withSearches
  }

  func forEachRecord(_ body: (ExportRecord) throws -> Void) throws {
    for section in ExportRecord.Section.allCases { try forEachRecord(of: section, body) }
  }

  private func forEachRecord(
    of section: ExportRecord.Section, _ body: (ExportRecord) throws -> Void
  ) throws {
    switch section {
    case .feeds: try forEachFeed(body)
    case .runs: try forEachRun(body)
    case .offers: try forEachOffer(body)
    case .changes: try favoritesOnly ? forEachChangeOfFavorites(body) : forEachChange(body)
    case .users: try forEachUser(body)
    case .favorites: try forEachFavorite(body)
    }
  }

  /// The history of favorites must be read to count it. Otherwise the history of removed offers
  /// counts, though it is not exported.
  func countRecords() throws -> Int? {
    if favoritesOnly { return nil }
    func count(_ table: String) throws -> Int {
      try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
    }
    let others = try ["feed", "sync_run", "offer"].map(count).reduce(0, +)
    let records = try ["user", "favorite"].map { table in
      try Int.fetchOne(
        database, sql: "SELECT count(*) FROM \(table) WHERE \(isOfUser(table))") ?? 0
    }
    return try others + records.reduce(0, +) + ChangeTable.count(in: database)
  }

  /// A condition that a row of a table is of the exported user, or of any.
  private func isOfUser(_ table: String) -> String {
    user.map { "\(table).user_key = \($0)" } ?? "TRUE"
  }

  /// Selects the exported feeds.
  private var feedFilter: String {
    favoritesOnly
      ? "WHERE feed.name IN (SELECT favorite.feed FROM \(FavoriteQuery.rows(of: user)))" : ""
  }

  private func forEachFeed(_ body: (ExportRecord) throws -> Void) throws {
    let rows = try RawStatement(
      database,
      """
      SELECT \(ExportedFeed.columns), \(ExportedFeed.detailColumns())
      FROM feed \(feedFilter) ORDER BY feed.name
      """)
    defer { rows.reset() }
    while try rows.step() {
      var feed = ExportedFeed(rows, from: 0)
      feed.setDetails(rows, from: ExportedFeed.columnCount)
      feed.hideAddresses(isForOthers: favoritesOnly)
      try body(.feed(feed))
    }
  }

  /// Passes on all runs. In an export of favorites: the runs that recorded a change of a favorite,
  /// and the last and the last successful run of each feed with favorites.
  private func forEachRun(_ body: (ExportRecord) throws -> Void) throws {
    let rows = try RawStatement(
      database,
      """
      SELECT run.run_id, feed.name,
        run.run_id IN (SELECT max(run_id) FROM sync_run GROUP BY feed_key)
          OR run.run_id IN (
            SELECT max(run_id) FROM sync_run WHERE outcome IN ('updated', 'unchanged')
            GROUP BY feed_key),
        \(ExportedRun.columns)
      FROM sync_run AS run CROSS JOIN feed USING (feed_key) \(feedFilter) ORDER BY run.run_id
      """)
    defer { rows.reset() }
    let wanted =
      favoritesOnly ? try ChangeTable.runsOfFavorites(of: user, through: .max, in: database) : nil
    while try rows.step() {
      let id = rows.number(0)
      if let wanted, rows.number(2) == 0, !wanted.contains(id) { continue }
      runs[id] = runs.count + 1
      var run = ExportedRun(rows, feed: rows.string(1) ?? "", from: 3)
      run.hideAddresses(isForOthers: favoritesOnly)
      try body(.run(run))
    }
  }

  /// A condition that an offer is not one that only a search on a feed's server found.
  private var listed: String { "NOT \(Dialect.isUnlisted)" }

  private func forEachOffer(_ body: (ExportRecord) throws -> Void) throws {
    let rows = try RawStatement(
      database,
      """
      SELECT offer.offer_key, feed.name, \(ExportedOffer.columns), \(ExportedOffer.detailColumns)
      FROM offer CROSS JOIN feed USING (feed_key)
      LEFT JOIN offer_detail AS detail ON detail.offer_key = offer.offer_key
      WHERE \(favoritesOnly ? "offer.offer_key IN (\(FavoriteQuery.offerKeys(of: user)))" : listed)
      ORDER BY offer.offer_key
      """)
    defer { rows.reset() }
    while try rows.step() {
      var offer = ExportedOffer(rows, feed: rows.string(1) ?? "", from: 2)
      offer.setDetails(rows, from: 2 + ExportedOffer.columnCount)
      if favoritesOnly { favorites.insert(offer.ref, key: rows.number(0)) }
      try body(.offer(offer))
    }
  }

  private func forEachChange(_ body: (ExportRecord) throws -> Void) throws {
    let rows = try RawStatement(
      database,
      """
      SELECT feed.name, offer.id, change.run_id, \(ExportedChange.columns)
      FROM \(ChangeSpan.rows)
      CROSS JOIN \(ChangeSpan.offers(after: "0")) CROSS JOIN feed USING (feed_key)
      WHERE \(listed)
      ORDER BY change.change_id, offer.offer_key
      """)
    defer { rows.reset() }
    while try rows.step() {
      let ref = OfferRef(feed: rows.string(0) ?? "", offerID: rows.string(1) ?? "")
      guard let run = runs[rows.number(2)],
        let change = ExportedChange(rows, of: ref, run: run, from: 3)
      else { continue }
      try body(.change(change))
    }
  }

  /// Reads no other offers, so that favorites can be exported although others are damaged.
  private func forEachChangeOfFavorites(_ body: (ExportRecord) throws -> Void) throws {
    let rows = try RawStatement(
      database,
      """
      SELECT change.offer_key, \(ChangeSpan.offerCountSQL), change.run_id, \(ExportedChange.columns)
      FROM \(ChangeSpan.rows) WHERE \(ChangeTable.mayTellOfFavorite(of: user))
      ORDER BY change.change_id
      """)
    defer { rows.reset() }
    while try rows.step() {
      // A change of a run that is not in the document is left out.
      guard let run = runs[rows.number(2)] else { continue }
      for ref in favorites.find(upTo: rows.number(0), count: rows.number(1)) {
        guard let change = ExportedChange(rows, of: ref, run: run, from: 3) else { continue }
        try body(.change(change))
      }
    }
  }

  /// Passes on the users, the owner first, with their searches and read marks unless only favorites
  /// are exported.
  private func forEachUser(_ body: (ExportRecord) throws -> Void) throws {
    let users = try UserTable.list(in: SQLiteTransaction(database)).filter {
      user == nil || $0.id == user
    }
    for user in users {
      var record = ExportedUser(user)
      if withSearches {
        record.searches = try RecentSearchTable.list(
          of: user.id, in: SQLiteTransaction(database)
        ).map {
          ExportedUser.Search($0)
        }
      }
      // A mark is the number of a run, and of favorites only some runs are exported.
      if !favoritesOnly { record.marks = try readMarks(of: user.id) }
      try body(.user(record))
    }
  }

  private func readMarks(of user: User.ID) throws -> [ExportedUser.Mark] {
    try Row.fetchAll(
      database,
      sql: "SELECT name, change_id, read_at FROM reader WHERE user_key = ? ORDER BY name",
      arguments: [user]
    ).map { row in
      // A run that was read in part counts as unread.
      let unread = try Int64.fetchOne(
        database, sql: "SELECT run_id FROM change WHERE change_id > ? ORDER BY change_id LIMIT 1",
        arguments: [row["change_id"] as Int64])
      let run = unread.map { (runs[$0] ?? 1) - 1 } ?? runs.count
      return ExportedUser.Mark(reader: row["name"], run: run, readAt: row["read_at"])
    }
  }

  private func forEachFavorite(_ body: (ExportRecord) throws -> Void) throws {
    let rows = try RawStatement(
      database,
      """
      SELECT \(ExportedFavorite.columns), user.name
      FROM user CROSS JOIN favorite ON favorite.user_key = user.user_key
      WHERE \(isOfUser("user")) ORDER BY user.user_key, favorite.feed, favorite.id
      """)
    defer { rows.reset() }
    while try rows.step() {
      var favorite = ExportedFavorite(rows, from: 0)
      favorite.user = rows.string(ExportedFavorite.columnCount)
      try body(.favorite(favorite))
    }
  }
}
