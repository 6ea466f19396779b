import OffersCore

// Initializers that read an export's records from the current row of a statement. The columns begin
// at a given index and have the order of `columns`.

extension ExportedFeed {
  static let columns = "feed.name, feed.source, feed.subscribed_at"
  static let columnCount: Int32 = 3
  /// The columns with what is told about a feed, of `feed` or of another table.
  static func detailColumns(of table: String = "feed") -> String {
    ["title", "chosen_source", "unsubscribed_at", "shared", "presentation"]
      .map { "\(table).\($0)" }.joined(separator: ", ")
  }

  init(_ row: RawStatement, from first: Int32) {
    self.init()
    name = row.string(first) ?? ""
    source = row.string(first + 1) ?? ""
    subscribedAt = row.number(first + 2)
  }

  mutating func setDetails(_ row: RawStatement, from first: Int32) {
    title = row.string(first)
    chosenSource = row.string(first + 1)
    unsubscribedAt = row.findNumber(first + 2)
    shared = row.string(first + 3).map(OfferAttribute.parse) ?? []
    presentation = FeedPresentation(storedText: row.string(first + 4))
  }
}

extension ExportedRun {
  /// The columns of `sync_run`, joined as `run`.
  static let columns = """
    run.source, run.started_at, run.duration_milliseconds, run.outcome, run.bytes, run.new_count,
    run.changed_count, run.gone_count, run.back_count, run.unchanged_count, run.skipped_count,
    run.mended_count, run.error_code, run.error_message, run.error_hint
    """

  init(_ row: RawStatement, feed: String, from first: Int32) {
    self.init()
    self.feed = feed
    source = row.string(first) ?? ""
    startedAt = row.number(first + 1)
    durationMilliseconds = row.number(first + 2)
    outcome = row.string(first + 3).flatMap(SyncOutcome.init) ?? .failed
    bytes = row.number(first + 4)
    counts = (first + 5..<first + 12).map(row.number)
    if let code = row.string(first + 12), let message = row.string(first + 13) {
      error = Failure(code: code, message: message, hint: row.string(first + 14))
    }
  }
}

extension ExportedOffer {
  static let columns = """
    offer.id, offer.name, offer.description, offer.terms, offer.reward_text,
    offer.reward_minor_units, offer.reward_currency, offer.reward_percent_hundredths,
    offer.reward_up_to, offer.image_url, offer.url, offer.first_seen_at, offer.changed_at,
    offer.gone_at
    """
  static let columnCount: Int32 = 14
  /// The columns of `offer_detail`, joined as `detail`.
  static let detailColumns = """
    detail.retailer, detail.categories, detail.starts_at, detail.expires_at, detail.latitude,
    detail.longitude, detail.attributes
    """

  init(_ row: RawStatement, feed: String, from first: Int32) {
    self.init()
    ref = OfferRef(feed: feed, offerID: row.string(first) ?? "")
    name = row.string(first + 1) ?? ""
    description = row.string(first + 2)
    terms = row.string(first + 3)
    if let text = row.string(first + 4) {
      var value: Reward.Value?
      if let units = row.findNumber(first + 5), let currency = row.string(first + 6) {
        value = .amount(minorUnits: units, storedCurrency: currency)
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
  }

  mutating func setDetails(_ row: RawStatement, from first: Int32) {
    retailer = row.string(first)
    categories = row.string(first + 1)
    startsAt = row.findNumber(first + 2)
    expiresAt = row.findNumber(first + 3)
    latitude = row.findReal(first + 4)
    longitude = row.findReal(first + 5)
    attributes = row.string(first + 6)
  }
}

extension ExportedChange {
  /// Fields that are no JSON would make the document none.
  static let columns =
    "change.kind, CASE WHEN json_valid(change.fields) THEN change.fields END"

  /// - Returns: nil for an unknown kind.
  init?(_ row: RawStatement, of ref: OfferRef, run: Int, from first: Int32) {
    guard let kind = row.string(first).flatMap(Kind.init) else { return nil }
    self.init()
    self.ref = ref
    self.run = run
    self.kind = kind
    fields = row.string(first + 1)
  }
}

extension ExportedFavorite {
  static let columns = "favorite.feed, favorite.id, favorite.created_at, favorite.shared_at"
  /// The columns before schema version 22, in which no favorite was shared.
  static let unsharedColumns = "favorite.feed, favorite.id, favorite.created_at, NULL"
  static let columnCount: Int32 = 4

  init(_ row: RawStatement, from first: Int32) {
    self.init()
    ref = OfferRef(feed: row.string(first) ?? "", offerID: row.string(first + 1) ?? "")
    starredAt = row.number(first + 2)
    sharedAt = row.findNumber(first + 3)
  }
}
