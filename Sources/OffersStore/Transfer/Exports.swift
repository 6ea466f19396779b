import OffersCore

extension OffersDatabase {
  /// Reads the contents of an export as one consistent state.
  ///
  /// An export has the feeds with their named sources, runs, all offers with their times, changes,
  /// and the data of users: favorites, recent searches, read marks, watches and channels. It lacks data that can be
  /// fetched again or belongs to one installation, such as images and fetch states, and secrets.
  ///
  /// - Parameters:
  ///   - favoritesOnly: whether to export only favorites, their feeds and their history.
  ///   - allUsers: whether to export the data of all users, instead of the bound one.
  ///   - withSearches: whether to export recent searches and watches even if only favorites are exported.
  ///   - body: reads the records; they are valid only during the call.
  package func export<Result: Sendable>(
    favoritesOnly: Bool, allUsers: Bool = false, withSearches: Bool = false,
    _ body: @escaping @Sendable (ExportQuery) throws -> Result
  ) async throws -> Result {
    try await perform(.export) { [user] transaction in
      try body(
        ExportQuery(
          transaction, of: allUsers ? nil : user, favoritesOnly: favoritesOnly,
          withSearches: withSearches || !favoritesOnly))
    }
  }

  /// Imports the records of an export in one transaction, or, on an error, nothing. Feeds that the store has
  /// read stay as they are, and the others are taken whole; what belongs to users is added.
  ///
  /// - Parameters:
  ///   - source: the records, which are read while the transaction is open.
  ///   - feeds: the feeds of the document. They cannot be synced during the import: such a sync
  ///     would compare its document with the offers before the import, and then store that the
  ///     offers equal its document.
  ///   - trustsRoles: whether users who are missing here get the roles of the document; otherwise
  ///     none becomes an admin, since anybody may have written it.
  ///   - acceptsDefinitions: whether the user accepts the document's definitions and settings of feeds, and its
  ///     channels, as their own; otherwise they are left out, since they name what a sync reads and where it sends.
  ///   - reader: reads the texts of watches, which begin with the offers that are here; nil for watches whose states are
  ///     copied afterwards.
  ///   - review: reviews the named sources that the import would add, and sets their origins. An
  ///     error ends the import. Passed are only sources of feeds that have no named source in this
  ///     store, or that it has never read.
  /// - Throws: `OffersError`: `locked` if a feed's sync does not end in time, `invalidRequest` for
  ///   several users if this store is bound to another user than its owner.
  package func importRecords(
    from source: any ExportRecordSource, feeds: [String], trustsRoles: Bool = false,
    acceptsDefinitions: Bool = false, reader: (any FilterTextReader)? = nil,
    review: @escaping @Sendable ([ImportedFeedSource]) throws -> [ImportedFeedSource] = { $0 }
  ) async throws -> ImportSummary {
    try await withSyncLocks(on: feeds.sorted(), waitSeconds: Self.syncWaitSeconds) {
      [self] in
      try await perform(.sync) { [user] transaction in
        try UserTable.check(user, in: transaction)
        let work = try StoreImport(
          into: transaction, user: user, trustsRoles: trustsRoles,
          acceptsDefinitions: acceptsDefinitions, reader: reader, review: review)
        try source.forEachRecord(work.add)
        return try work.finish()
      }
    }
  }

  /// The longest wait for running syncs, in seconds: as long as a sync waits for another one.
  private static var syncWaitSeconds: Double { 5 }
}

/// Reads a database as records of an export, in the order of the document.
package final class ExportQuery {
  private let transaction: any Transaction
  private let favoritesOnly: Bool
  private let withSearches: Bool
  /// The user whose data is exported; nil for all users.
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

  /// Passes on the users, the owner first, with their searches, read marks, watches and channels unless only favorites
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
      if withSearches { record.watches = try WatchTable.exported(of: user.id, in: transaction) }
      if !favoritesOnly {
        record.channels = try ChannelTable.exported(of: user.id, in: transaction)
      }
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
      FROM reader WHERE reader.user_key = $1 AND reader.name <> $2 ORDER BY reader.name
      """, [.number(user), .text(ReaderMark.ofNotices)]
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

// Initializers that read an export's records from a row. The columns begin at a given index and have the
// order of `columns`.

extension ExportedFeed {
  package static let columns = """
    feed.name, feed.source, feed.subscribed_at, feed.title, feed.chosen_source,
    feed.unsubscribed_at, feed.shared, feed.presentation, \(DefinitionTable.columns)
    """

  package init(_ row: any SQLRow, from first: Int = 0) {
    self.init()
    name = row.text(first)
    source = row.text(first + 1)
    subscribedAt = row.number(first + 2)
    title = row.findText(first + 3)
    chosenSource = row.findText(first + 4)
    unsubscribedAt = row.findNumber(first + 5)
    shared = row.findText(first + 6).map(OfferAttribute.parse) ?? []
    presentation = FeedPresentation(storedText: row.findText(first + 7))
    let stored = DefinitionTable.read(row, from: first + 8, of: name)
    definition = stored.isEmpty ? nil : stored
  }
}

extension ExportedRun {
  /// The columns of `sync_run`, joined as `run`.
  package static let columns =
    """
    run.source, run.started_at, run.duration_milliseconds, run.outcome, run.bytes, run.error_code,
    run.error_message, run.error_hint, 
    """ + countNames.map { "run.\($0)_count" }.joined(separator: ", ")

  package init(_ row: any SQLRow, from first: Int, feed: String) {
    self.init()
    self.feed = feed
    source = row.text(first)
    startedAt = row.number(first + 1)
    durationMilliseconds = row.number(first + 2)
    outcome = SyncOutcome(rawValue: row.text(first + 3)) ?? .failed
    bytes = row.number(first + 4)
    if let code = row.findText(first + 5), let message = row.findText(first + 6) {
      error = Failure(code: code, message: message, hint: row.findText(first + 7))
    }
    counts = Self.countNames.indices.map { row.number(first + 8 + $0) }
  }
}

extension ExportedOffer {
  package static let columns = "\(OfferField.columns), \(otherColumns)"

  /// The columns behind those of the fields.
  package static let otherColumns =
    "\(OfferField.exactReward), offer.first_seen_at, offer.changed_at, offer.gone_at"

  package init(_ row: any SQLRow, from first: Int, feed: String) {
    self.init()
    let firstReward = first + OfferField.count
    let firstTime = firstReward + OfferField.rewardColumns.count
    ref = OfferRef(feed: feed, offerID: row.findText(first + OfferField.id.rawValue) ?? "")
    for field in OfferField.allCases where field.columnType == .text {
      self[field] = row.findText(first + field.rawValue)
    }
    reward = OfferField.reward(row, text: first + OfferField.reward.rawValue, value: firstReward)
    startsAt = row.findNumber(first + OfferField.startsAt.rawValue)
    expiresAt = row.findNumber(first + OfferField.expiresAt.rawValue)
    latitude = row.findReal(first + OfferField.latitude.rawValue)
    longitude = row.findReal(first + OfferField.longitude.rawValue)
    firstSeenAt = row.number(firstTime)
    changedAt = row.number(firstTime + 1)
    goneAt = row.findNumber(firstTime + 2)
  }
}

extension ExportedChange {
  /// - Parameter kind: the stored kind; `up` and `down` are exported as `changed`.
  package init(_ kind: String, fields: String?, of ref: OfferRef, run: Int) {
    self.init()
    self.ref = ref
    self.run = run
    self.kind = kind == "first" ? .new : Kind(rawValue: kind) ?? .changed
    self.fields = fields
  }
}
