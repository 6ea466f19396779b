import Foundation
import OffersCore

extension OffersDatabase {
  /// The subscribed feeds, sorted by name.
  public func fetchFeeds() async throws(OffersError) -> [Feed] {
    try await transaction(.query) { [user] in try FeedList.subscribed(of: user, in: $0) }
  }

  /// The feeds that were unsubscribed or never synced successfully, sorted by name.
  package func fetchFormerFeeds() async throws(OffersError) -> [FormerFeed] {
    try await transaction(.query) { [user] in try FeedList.former(of: user, in: $0) }
  }

  /// How the offers of each stored feed are shown, by the definition of its last sync. Feeds that were
  /// not synced since the store keeps it are left out. The user's own definition at hand
  /// (`KnownFeed.presentation`) may be newer.
  public func fetchPresentations() async throws(OffersError) -> [String: FeedPresentation] {
    try await transaction(.query) { try FeedTable.presentations(in: $0) }
  }

  /// The source from which a feed was last read, or which was recorded with its subscription; nil
  /// for an unknown feed. Unsubscribed feeds have one, too.
  public func findSource(of feed: String) async throws(OffersError) -> String? {
    if !StoredText.isStorable(feed) { return nil }
    return try await transaction(.query) { transaction in
      try transaction.first("SELECT source FROM feed WHERE name = $1", [.text(feed)]) {
        $0.text(0)
      }
    }
  }

  /// Subscribes to a feed, so that it is included when all feeds are synced. `source` is recorded
  /// if the feed is unknown.
  ///
  /// - Returns: false when the feed was already subscribed.
  public func subscribe(to feed: String, source: String) async throws(OffersError) -> Bool {
    let now = Date()
    return try await transaction(.write) { transaction in
      let (_, didSubscribe) = try FeedTable.put(
        feed, source: source, subscribes: true, at: now, in: transaction)
      if feed == Feed.initialName {
        try FeedTable.keepProposal(source: source, in: transaction)
      }
      return didSubscribe
    }
  }

  /// Unsubscribes from a feed, so that it is no longer synced with the others. Its offers and
  /// favorites stay. Syncing it by name subscribes again, with the remembered source.
  ///
  /// - Returns: false when the feed was not subscribed.
  public func unsubscribe(from feed: String) async throws(OffersError) -> Bool {
    let now = Date()
    return try await transaction(.write) {
      try FeedTable.unsubscribe(from: feed, at: now, in: $0)
    }
  }

  /// The definitions and settings that the store keeps, in the order in which it got their feeds.
  package func fetchDefinitions() async throws(OffersError) -> [StoredDefinition] {
    try await transaction(.query) { try DefinitionTable.list(in: $0) }
  }

  /// Changes the definition and the settings of a feed in one transaction.
  ///
  /// - Parameters:
  ///   - feed: the name of the feed.
  ///   - source: the source to record for a new feed.
  ///   - forgettingSource: whether to forget the named source, which may be that of an earlier feed with the
  ///     same name.
  ///   - subscribing: whether to subscribe to the feed. Otherwise one that the store does not have yet is stored
  ///     without a subscription.
  ///   - change: receives what is stored. If it throws, nothing is changed. It may be called several times.
  /// - Returns: whether anything was changed.
  @discardableResult
  package func changeDefinition(
    of feed: String, source: String, forgettingSource: Bool, subscribing: Bool = false,
    _ change: @escaping @Sendable (inout StoredDefinition) throws -> Void
  ) async throws(OffersError) -> Bool {
    let now = Date()
    return try await transaction(.write) { transaction in
      // The row of the feed is locked first, so that of two concurrent changes the second one sees the first.
      _ = try FeedTable.put(
        feed, source: source, subscribes: subscribing, at: now, in: transaction)
      let stored = try DefinitionTable.find(feed, in: transaction)
      var definition = stored
      try change(&definition)
      if forgettingSource { try FeedTable.forgetSource(of: feed, in: transaction) }
      if definition == stored { return false }
      try DefinitionTable.put(definition, in: transaction)
      return true
    }
  }

  /// Unsubscribes from a feed, as `unsubscribe(from:)`, and in the same transaction forgets its named source
  /// and removes its definition.
  ///
  /// - Parameters:
  ///   - forgettingSource: whether to forget the source.
  ///   - keepingSettings: whether to keep the interval and the currency, as those of a shipped feed.
  /// - Returns: whether the feed was subscribed, and whether it had a definition.
  package func removeDefinition(
    of feed: String, forgettingSource: Bool, keepingSettings: Bool
  ) async throws(OffersError) -> (wasSubscribed: Bool, wasDefined: Bool) {
    if !StoredText.isStorable(feed) { return (false, false) }
    let now = Date()
    return try await transaction(.write) { transaction in
      if forgettingSource { try FeedTable.forgetSource(of: feed, in: transaction) }
      let wasSubscribed = try FeedTable.unsubscribe(from: feed, at: now, in: transaction)
      let stored = try DefinitionTable.find(feed, in: transaction)
      var rest = StoredDefinition(feed: feed)
      if keepingSettings {
        (rest.everySeconds, rest.currency) = (stored.everySeconds, stored.currency)
      }
      if rest != stored { try DefinitionTable.put(rest, in: transaction) }
      return (wasSubscribed, stored.text != nil)
    }
  }
}

extension OffersDatabase {
  /// The names of the subscribed feeds, sorted.
  package func fetchSubscribedFeeds() async throws(OffersError) -> [String] {
    try await transaction(.query) { try FeedTable.subscribedNames(in: $0) }
  }

  /// The current offers of the feed that its last document lacks, by ascending key.
  package func fetchMissingOffers(of feed: String) async throws(OffersError) -> [MissingOffer] {
    try await transaction(.query) { try MissingOfferTable.fetch(of: feed, in: $0) }
  }

  /// Those of some offers of a feed that are older than another one, by ascending key.
  package func findOffers(
    olderThan key: Int64, among keys: [Int64]
  ) async throws(OffersError) -> [Int64] {
    try await transaction(.query) {
      try MissingOfferTable.findOlder(than: key, among: keys, in: $0)
    }
  }

  /// The look of the feed's newest current offers, `FeedTraits.offerLimit` at most, and its title.
  package func fetchLook(of feed: String) async throws(OffersError) -> FeedTraits {
    try await transaction(.read) { try FeedTable.fetchLook(of: feed, in: $0) }
  }
}

extension OffersDatabase {
  /// Refuses a feed that is neither subscribed nor defined and has no offers. A defined feed has an empty list
  /// before its first sync. Nil stands for all feeds.
  ///
  /// - Throws: `OffersError` with `notFound`, whose hint names the subscribed feeds.
  func checkFeed(_ feed: String?, in transaction: any Transaction) throws {
    if let feed, definitions?.defines(feed) == true { return }
    try FeedTable.check(feed, in: transaction)
  }

  /// The key of a feed that users can read; see `FeedTable.fetchReadKey(_:_:in:)`.
  package func fetchReadKey(of feed: String, in transaction: any Transaction) throws -> Int64 {
    try FeedTable.fetchReadKey(feed, definitions, in: transaction)
  }
}

extension OffersDatabase {
  /// How the offers of each feed are shown.
  ///
  /// - Parameter known: the feeds with a definition.
  package func fetchPresentations(_ known: [KnownFeed]) async throws(OffersError)
    -> FeedPresentations
  {
    FeedPresentations(known, stored: try await fetchPresentations())
  }
}

/// The feeds with the counts of their offers.
enum FeedList {
  /// The columns with the counts of a feed's offers and of the favorites of the user `$1`.
  private static let counts = """
    \(FeedTable.currentCount), feed.gone_count,
    (SELECT count(*) FROM favorite
      WHERE favorite.user_key = $1 AND favorite.feed = feed.name)
    """

  /// The subscribed feeds, by name.
  static func subscribed(of user: User.ID, in transaction: any Transaction) throws -> [Feed] {
    try transaction.rows(
      """
      SELECT feed.name, feed.title, coalesce(feed.chosen_source, feed.source),
        \(counts), good.started_at, \(SyncRunTable.lastColumns),
        feed.chosen_source, feed.presentation,
        (SELECT count(*) FROM missing_offer AS missing
          WHERE missing.feed_key = feed.feed_key AND missing.since IS NULL),
        \(FetchStateTable.selection)
      FROM feed LEFT JOIN feed_fetch ON feed_fetch.feed_key = feed.feed_key
      \(SyncRunTable.lastJoin)
      WHERE feed.unsubscribed_at IS NULL ORDER BY feed.name
      """, [.number(user)]
    ) { row in
      let name = row.text(0)
      return Feed(
        name: name, title: row.findText(1), source: row.text(2),
        currentCount: row.count(3), goneCount: row.count(4),
        favoriteCount: row.count(5), keptCount: row.count(25),
        lastRun: SyncRunTable.findRun(row, from: 7, feed: name),
        lastSuccessAt: row.findDate(6), fetch: FetchStateTable.state(row, from: 26),
        chosenSource: row.findText(23),
        presentation: FeedPresentation(storedText: row.findText(24)))
    }
  }

  /// The feeds that are stored but not subscribed, by name: they were unsubscribed, or never synced
  /// successfully.
  static func former(of user: User.ID, in transaction: any Transaction) throws -> [FormerFeed] {
    try transaction.rows(
      """
      SELECT feed.name, feed.title, feed.chosen_source, \(counts)
      FROM feed WHERE feed.unsubscribed_at IS NOT NULL ORDER BY feed.name
      """, [.number(user)]
    ) {
      FormerFeed(
        name: $0.text(0), title: $0.findText(1), source: $0.findText(2),
        currentCount: $0.count(3), goneCount: $0.count(4), favoriteCount: $0.count(5))
    }
  }
}

/// The SQL that reads and writes the definitions of feeds.
enum DefinitionTable {
  /// The columns of a definition, which `read` expects in this order.
  static let columns = """
    feed_definition.text, feed_definition.every_seconds, feed_definition.currency
    """

  /// The definitions, in the order in which the store got their feeds.
  static func list(in transaction: any Transaction) throws -> [StoredDefinition] {
    try transaction.rows(
      """
      SELECT feed.name, \(columns)
      FROM feed_definition JOIN feed ON feed.name = feed_definition.feed ORDER BY feed.feed_key
      """
    ) { read($0, from: 1, of: $0.text(0)) }
  }

  /// The definition of a feed, which is empty if none is stored.
  static func find(_ feed: String, in transaction: any Transaction) throws -> StoredDefinition {
    try transaction.first(
      "SELECT \(columns) FROM feed_definition WHERE feed = $1", [.text(feed)]
    ) { read($0, from: 0, of: feed) } ?? StoredDefinition(feed: feed)
  }

  /// Replaces the definition of a feed; an empty one is removed.
  static func put(_ definition: StoredDefinition, in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM feed_definition WHERE feed = $1", [.text(definition.feed)])
    if definition.isEmpty { return }
    try transaction.run(
      """
      INSERT INTO feed_definition (feed, text, every_seconds, currency) VALUES ($1, $2, $3, $4)
      """,
      [
        .text(definition.feed), .text(definition.text),
        .number(definition.everySeconds.map(Int64.init)), .text(definition.currency),
      ])
  }

  static func read(_ row: any SQLRow, from first: Int, of feed: String) -> StoredDefinition {
    StoredDefinition(
      feed: feed, text: row.findText(first),
      everySeconds: row.findNumber(first + 1).map { Int(clamping: $0) },
      currency: row.findText(first + 2))
  }
}
