import GRDB
import OffersCore

/// Reads a database as records of an export, in the order of the document.
final class ExportQuery {
  private let database: Database
  private let favoritesOnly: Bool
  /// Each run's place in the document, from 1, by its key; what changes refer to.
  private var runs: [Int64: Int] = [:]

  init(_ database: Database, favoritesOnly: Bool) {
    self.database = database
    self.favoritesOnly = favoritesOnly
  }

  /// The keys of all favorites that are synced.
  static let favoriteKeys = """
    SELECT offer.offer_key FROM favorite
    CROSS JOIN feed ON feed.name = favorite.feed
    CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
    """

  /// Hands over every record of a section. The sections come in the order of the document.
  func forEachRecord(
    of section: ExportRecord.Section, _ body: (ExportRecord) throws -> Void
  ) throws {
    switch section {
    case .feeds: try forEachFeed(body)
    case .runs: try forEachRun(body)
    case .offers: try forEachOffer(body)
    case .changes: try forEachChange(body)
    case .favorites: try forEachFavorite(body)
    }
  }

  /// How many records there will be at most, to tell how far it is.
  func countRecords() throws -> Int {
    try Int.fetchOne(
      database,
      sql: favoritesOnly
        ? "SELECT count(*) FROM favorite"
        : "SELECT (SELECT count(*) FROM offer) + (SELECT count(*) FROM change)") ?? 0
  }

  private func forEachFeed(_ body: (ExportRecord) throws -> Void) throws {
    let filter = favoritesOnly ? "WHERE feed.name IN (SELECT feed FROM favorite)" : ""
    let rows = try RawStatement(
      database,
      """
      SELECT feed.name, title, source, chosen_source, subscribed_at, unsubscribed_at, shared
      FROM feed JOIN feed_detail USING (feed_key) \(filter) ORDER BY feed.name
      """)
    defer { rows.reset() }
    while try rows.step() {
      var feed = ExportedFeed()
      feed.name = rows.string(0) ?? ""
      feed.title = rows.string(1)
      feed.source = rows.string(2) ?? ""
      feed.chosenSource = rows.string(3)
      feed.subscribedAt = rows.number(4)
      feed.unsubscribedAt = rows.findNumber(5)
      feed.shared = rows.string(6).map(OfferAttribute.parse) ?? []
      try body(.feed(feed))
    }
  }

  /// Of favorites alone, the runs that saw them change, and of their feeds the last and the last
  /// good one.
  private func forEachRun(_ body: (ExportRecord) throws -> Void) throws {
    let filter =
      favoritesOnly
      ? """
      WHERE feed.name IN (SELECT feed FROM favorite) AND (
        run.run_id IN (SELECT run_id FROM change WHERE offer_key IN (\(Self.favoriteKeys)))
        OR run.run_id IN (SELECT max(run_id) FROM sync_run GROUP BY feed_key)
        OR run.run_id IN (
          SELECT max(run_id) FROM sync_run WHERE outcome IN ('updated', 'unchanged')
          GROUP BY feed_key))
      """ : ""
    let rows = try RawStatement(
      database,
      """
      SELECT run.run_id, feed.name, run.source, started_at, duration_milliseconds, outcome, bytes,
        new_count, changed_count, gone_count, back_count, unchanged_count, skipped_count,
        mended_count, error_code, error_message, error_hint
      FROM sync_run AS run CROSS JOIN feed USING (feed_key) \(filter) ORDER BY run.run_id
      """)
    defer { rows.reset() }
    while try rows.step() {
      runs[rows.number(0)] = runs.count + 1
      var run = ExportedRun()
      run.feed = rows.string(1) ?? ""
      run.source = rows.string(2) ?? ""
      run.startedAt = rows.number(3)
      run.durationMilliseconds = rows.number(4)
      run.outcome = rows.string(5).flatMap(SyncOutcome.init) ?? .failed
      run.bytes = rows.number(6)
      run.counts = (7..<14).map(rows.number)
      if let code = rows.string(14), let message = rows.string(15) {
        run.error = ExportedRun.Failure(code: code, message: message, hint: rows.string(16))
      }
      try body(.run(run))
    }
  }

  private func forEachOffer(_ body: (ExportRecord) throws -> Void) throws {
    let rows = try RawStatement(
      database,
      """
      SELECT feed.name, \(ExportedOffer.columns)
      FROM offer CROSS JOIN feed USING (feed_key)
      LEFT JOIN offer_detail AS detail ON detail.offer_key = offer.offer_key
      \(favoritesOnly ? "WHERE offer.offer_key IN (\(Self.favoriteKeys))" : "")
      ORDER BY offer.offer_key
      """)
    defer { rows.reset() }
    while try rows.step() {
      try body(.offer(ExportedOffer(rows, feed: rows.string(0) ?? "", from: 1)))
    }
  }

  private func forEachChange(_ body: (ExportRecord) throws -> Void) throws {
    let rows = try RawStatement(
      database,
      """
      SELECT feed.name, offer.id, change.run_id, change.kind, change.fields
      FROM change CROSS JOIN offer USING (offer_key) CROSS JOIN feed USING (feed_key)
      \(favoritesOnly ? "WHERE change.offer_key IN (\(Self.favoriteKeys))" : "")
      ORDER BY change.change_id
      """)
    defer { rows.reset() }
    while try rows.step() {
      let ref = OfferRef(feed: rows.string(0) ?? "", id: rows.string(1) ?? "")
      guard
        let change = change(
          of: ref, run: rows.number(2), kind: rows.string(3), fields: rows.string(4))
      else { continue }
      try body(.change(change))
    }
  }

  /// A change as the document tells it; nil where the sync that saw it is not in the document.
  func change(of ref: OfferRef, run: Int64, kind: String?, fields: String?) -> ExportedChange? {
    guard let run = runs[run], let kind = kind.flatMap(ExportedChange.Kind.init) else {
      return nil
    }
    var change = ExportedChange()
    change.ref = ref
    change.run = run
    change.kind = kind
    change.fields = fields
    return change
  }

  private func forEachFavorite(_ body: (ExportRecord) throws -> Void) throws {
    let rows = try RawStatement(
      database, "SELECT feed, id, created_at FROM favorite ORDER BY feed, id")
    defer { rows.reset() }
    while try rows.step() {
      var favorite = ExportedFavorite()
      favorite.ref = OfferRef(feed: rows.string(0) ?? "", id: rows.string(1) ?? "")
      favorite.starredAt = rows.number(2)
      try body(.favorite(favorite))
    }
  }
}

extension ExportedOffer {
  /// The columns that `init(_:feed:from:)` reads, of `offer` and `offer_detail AS detail`.
  static let columns = """
    offer.id, offer.name, offer.description, offer.terms, offer.reward_text,
    offer.reward_minor_units, offer.reward_currency, offer.reward_percent_hundredths,
    offer.reward_up_to, offer.image_url, offer.url, offer.first_seen_at, offer.changed_at,
    offer.gone_at, detail.retailer, detail.categories, detail.starts_at, detail.expires_at,
    detail.latitude, detail.longitude, detail.attributes
    """

  /// Reads the row that a statement stands on.
  ///
  /// - Parameter first: which column `columns` begin at.
  init(_ row: RawStatement, feed: String, from first: Int32) {
    self.init()
    ref = OfferRef(feed: feed, id: row.string(first) ?? "")
    name = row.string(first + 1) ?? ""
    description = row.string(first + 2)
    terms = row.string(first + 3)
    if let text = row.string(first + 4) {
      var value: Reward.Value?
      if let units = row.findNumber(first + 5), let currency = row.string(first + 6) {
        value = .amount(minorUnits: units, currency: currency)
      } else if let hundredths = row.findNumber(first + 7) {
        value = .percent(hundredths: hundredths)
      }
      reward = Reward(text: text, value: value, isUpTo: row.number(first + 8) != 0)
    }
    imageURL = row.string(first + 9)
    url = row.string(first + 10)
    firstSeenAt = row.number(first + 11)
    changedAt = row.number(first + 12)
    goneAt = row.findNumber(first + 13)
    retailer = row.string(first + 14)
    categories = row.string(first + 15)
    startsAt = row.findNumber(first + 16)
    expiresAt = row.findNumber(first + 17)
    latitude = row.findReal(first + 18)
    longitude = row.findReal(first + 19)
    attributes = row.string(first + 20)
  }
}
