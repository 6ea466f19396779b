import OffersCore

/// Reads a database as records of an export, in the order of the document.
package final class ExportQuery {
  private let transaction: any Transaction
  private let favoritesOnly: Bool
  private let withSearches: Bool
  /// The user whose record is exported; nil for all users.
  private let user: User.ID?
  /// The position of each run in the document, from 1, by its key; changes refer to it.
  private var runs: [Int64: Int] = [:]

  init(_ transaction: any Transaction, of user: User.ID?, favoritesOnly: Bool, withSearches: Bool) {
    self.transaction = transaction
    self.user = user
    self.favoritesOnly = favoritesOnly
    self.withSearches = withSearches
  }

  /// Calls `body` with every record, section by section.
  package func forEachRecord(_ body: (ExportRecord) throws -> Void) throws {
    for section in ExportRecord.Section.allCases {
      switch section {
      case .feeds: try forEachFeed(body)
      case .runs: try forEachRun(body)
      case .offers: try forEachOffer(body)
      case .changes: try forEachChange(body)
      case .users: try forEachUser(body)
      case .favorites: try forEachFavorite(body)
      }
    }
  }

  /// The approximate number of records, for progress; nil if counting them takes as long as reading them.
  /// The history of favorites must be read to count it. Otherwise the history of removed offers
  /// counts, though it is not exported.
  package func countRecords() throws -> Int? {
    if favoritesOnly { return nil }
    return try transaction.first(
      """
      SELECT (SELECT count(*) FROM feed) + (SELECT count(*) FROM sync_run)
        + (SELECT count(*) FROM offer)
        + (SELECT CAST(coalesce(sum(coalesce(offer_count, 1)), 0) AS BIGINT) FROM change)
        + (SELECT count(*) FROM account WHERE \(isOfUser("account")))
        + (SELECT count(*) FROM favorite WHERE \(isOfUser("favorite")))
      """, parameters
    ) { $0.count(0) }
  }

  /// The parameter `$1`: the exported user, or NULL for all.
  private var parameters: [SQLValue] { [.number(user)] }

  /// A condition that a row of a table is of the exported user, or of any.
  private func isOfUser(_ table: String) -> String {
    "($1 IS NULL OR \(table).user_key = $1)"
  }

  /// The keys of the favorites of the exported users.
  private var favoriteKeys: String {
    """
    SELECT offer.offer_key FROM \(OfferColumns.favoriteSource)
    WHERE \(isOfUser("favorite"))
    """
  }

  /// A condition that selects the exported feeds.
  private var isWantedFeed: String {
    favoritesOnly
      ? "feed.name IN (SELECT favorite.feed FROM favorite WHERE \(isOfUser("favorite")))"
      : "($1 IS NULL OR true)"
  }

  /// A condition that selects the exported offers. An export of favorites has these alone; any other has all
  /// offers but those that only a search found and nobody starred.
  private var isWanted: String {
    favoritesOnly
      ? "offer.offer_key IN (\(favoriteKeys))"
      : "(offer.found_at IS NULL OR \(OfferColumns.isStarred)) AND ($1 IS NULL OR true)"
  }

  private func forEachFeed(_ body: (ExportRecord) throws -> Void) throws {
    try transaction.forEach(
      """
      SELECT \(ExportedFeed.columns)
      FROM feed LEFT JOIN feed_definition ON feed_definition.feed = feed.name
      WHERE \(isWantedFeed) ORDER BY feed.name
      """, parameters
    ) { row in
      var feed = ExportedFeed(row)
      feed.hideAddresses(isForOthers: favoritesOnly)
      try body(.feed(feed))
    }
  }

  /// Passes on all runs. In an export of favorites: the runs that recorded a change of a favorite,
  /// and the last and the last successful run of each feed with favorites.
  private func forEachRun(_ body: (ExportRecord) throws -> Void) throws {
    let isWantedRun =
      favoritesOnly
      ? """
      AND (run.run_id IN (SELECT max(run_id) FROM sync_run GROUP BY feed_key)
        OR run.run_id IN (
          SELECT max(run_id) FROM sync_run WHERE outcome IN ('updated', 'unchanged')
          GROUP BY feed_key)
        OR run.run_id IN (
          SELECT change.run_id FROM change
          WHERE change.kind <> 'first' AND change.offer_key IN (\(favoriteKeys)))
        OR run.run_id IN (
          SELECT change.run_id FROM change
          JOIN offer ON offer.feed_key = change.feed_key AND offer.first_run_id = change.run_id
          WHERE change.kind = 'first' AND offer.offer_key IN (\(favoriteKeys))))
      """ : ""
    try transaction.forEach(
      """
      SELECT run.run_id, feed.name, \(ExportedRun.columns)
      FROM sync_run AS run JOIN feed ON feed.feed_key = run.feed_key
      WHERE \(isWantedFeed) \(isWantedRun) ORDER BY run.run_id
      """, parameters
    ) { row in
      runs[row.number(0)] = runs.count + 1
      var run = ExportedRun(row, from: 2, feed: row.text(1))
      run.hideAddresses(isForOthers: favoritesOnly)
      try body(.run(run))
    }
  }

  private func forEachOffer(_ body: (ExportRecord) throws -> Void) throws {
    try transaction.forEach(
      """
      SELECT feed.name, \(ExportedOffer.columns) FROM \(OfferColumns.source)
      WHERE \(isWanted) ORDER BY offer.offer_key
      """, parameters
    ) { row in
      try body(.offer(ExportedOffer(row, from: 1, feed: row.text(0))))
    }
  }

  private func forEachChange(_ body: (ExportRecord) throws -> Void) throws {
    // No other offers are read than the exported ones, so that favorites can be exported although others
    // are damaged.
    let isOfFavorite =
      favoritesOnly ? "(change.kind = 'first' OR change.offer_key IN (\(favoriteKeys))) AND" : ""
    try transaction.forEach(
      """
      SELECT change.run_id, change.kind, change.fields, change.feed_key, feed.name, offer.id
      FROM change JOIN feed ON feed.feed_key = change.feed_key
      LEFT JOIN offer ON offer.offer_key = change.offer_key AND change.kind <> 'first'
      WHERE \(isOfFavorite)
        (change.kind = 'first' OR offer.offer_key IS NOT NULL AND \(isWanted))
      ORDER BY change.change_id
      """, parameters
    ) { row in
      // A change of a run that is not in the document is left out.
      guard let run = runs[row.number(0)] else { return }
      let (kind, feed) = (row.text(1), row.text(4))
      guard kind != "first" else {
        return try forEachFirst(feedKey: row.number(3), runKey: row.number(0)) { id in
          let ref = OfferRef(feed: feed, offerID: id)
          try body(.change(ExportedChange(kind, fields: nil, of: ref, run: run)))
        }
      }
      let ref = OfferRef(feed: feed, offerID: row.text(5))
      try body(.change(ExportedChange(kind, fields: row.findText(2), of: ref, run: run)))
    }
  }

  /// Passes on the ids of the offers of a feed's first sync.
  private func forEachFirst(
    feedKey: Int64, runKey: Int64, _ body: (String) throws -> Void
  ) throws {
    // The favorites are found by their keys, which leaves the other offers of the feed alone.
    let feed = transaction.dialect.unindexed("offer.feed_key")
    let isOfFeed = favoritesOnly ? "" : "AND \(feed) = $3"
    try transaction.forEach(
      """
      SELECT offer.id FROM \(OfferColumns.source)
      WHERE offer.first_run_id = $2 \(isOfFeed) AND \(isWanted)
      ORDER BY offer.offer_key
      """, parameters + [.number(runKey)] + (favoritesOnly ? [] : [.number(feedKey)])
    ) { try body($0.text(0)) }
  }

  /// Passes on the users, the owner first, with their searches and read marks unless only favorites
  /// are exported.
  private func forEachUser(_ body: (ExportRecord) throws -> Void) throws {
    let users = try UserTable.list(in: transaction).filter {
      user == nil || $0.id == user
    }
    for user in users {
      var record = ExportedUser(user)
      if withSearches {
        record.searches = try RecentSearchTable.list(
          of: user.id, in: transaction
        )
        .map {
          ExportedUser.Search($0)
        }
      }
      // A mark is the number of a run, and of favorites only some runs are exported.
      if !favoritesOnly { record.marks = try readMarks(of: user.id) }
      try body(.user(record))
    }
  }

  private func readMarks(of user: User.ID) throws -> [ExportedUser.Mark] {
    // A run that was read in part counts as unread.
    try transaction.rows(
      """
      SELECT reader.name, reader.read_at, (
        SELECT change.run_id FROM change WHERE change.change_id > reader.change_id
        ORDER BY change.change_id LIMIT 1)
      FROM reader WHERE reader.user_key = $1 ORDER BY reader.name
      """, [.number(user)]
    ) { row in
      let run = row.findNumber(2).map { (runs[$0] ?? 1) - 1 } ?? runs.count
      return ExportedUser.Mark(reader: row.text(0), run: run, readAt: row.number(1))
    }
  }

  private func forEachFavorite(_ body: (ExportRecord) throws -> Void) throws {
    try transaction.forEach(
      """
      SELECT account.name, favorite.feed, favorite.id, favorite.created_at, favorite.shared_at
      FROM account JOIN favorite ON favorite.user_key = account.user_key
      WHERE \(isOfUser("account")) ORDER BY account.user_key, favorite.feed, favorite.id
      """, parameters
    ) { row in
      var favorite = ExportedFavorite()
      favorite.user = row.text(0)
      favorite.ref = OfferRef(feed: row.text(1), offerID: row.text(2))
      favorite.starredAt = row.number(3)
      favorite.sharedAt = row.findNumber(4)
      try body(.favorite(favorite))
    }
  }
}
