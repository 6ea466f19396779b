import OffersCore
import OffersStore

// Initializers that read an export's records from a row. The columns begin at a given index and have the
// order of `columns`.

extension ExportedFeed {
  static let columns = """
    feed.name, feed.source, feed.subscribed_at, feed.title, feed.chosen_source,
    feed.unsubscribed_at, feed.shared, feed.presentation
    """

  init(_ row: Row) {
    self.init()
    name = row.text(0)
    source = row.text(1)
    subscribedAt = row.number(2)
    title = row.findText(3)
    chosenSource = row.findText(4)
    unsubscribedAt = row.findNumber(5)
    shared = row.findText(6).map(OfferAttribute.parse) ?? []
    presentation = FeedPresentation(storedText: row.findText(7))
  }
}

extension ExportedRun {
  /// The columns of `sync_run`, joined as `run`.
  static let columns =
    """
    run.source, run.started_at, run.duration_milliseconds, run.outcome, run.bytes, run.error_code,
    run.error_message, run.error_hint, 
    """ + countNames.map { "run.\($0)_count" }.joined(separator: ", ")

  init(_ row: Row, feed: String) {
    self.init()
    self.feed = feed
    source = row.text(0)
    startedAt = row.number(1)
    durationMilliseconds = row.number(2)
    outcome = SyncOutcome(rawValue: row.text(3)) ?? .failed
    bytes = row.number(4)
    if let code = row.findText(5), let message = row.findText(6) {
      error = Failure(code: code, message: message, hint: row.findText(7))
    }
    counts = Self.countNames.indices.map { row.number(8 + $0) }
  }
}

extension ExportedOffer {
  static let columns = """
    offer.id, offer.name, offer.description, offer.terms, offer.reward_text,
    offer.reward_minor_units, offer.reward_currency, offer.reward_percent_hundredths,
    offer.reward_up_to, offer.image_url, offer.url, offer.first_seen_at, offer.changed_at,
    offer.gone_at, offer.retailer, offer.categories, offer.starts_at, offer.expires_at,
    offer.latitude, offer.longitude, offer.attributes
    """

  init(_ row: Row, feed: String) {
    self.init()
    ref = OfferRef(feed: feed, offerID: row.text(0))
    name = row.text(1)
    description = row.findText(2)
    terms = row.findText(3)
    reward = OfferColumns.reward(row, from: 4)
    imageURL = row.findText(9)
    url = row.findText(10)
    firstSeenAt = row.number(11)
    changedAt = row.number(12)
    goneAt = row.findNumber(13)
    retailer = row.findText(14)
    categories = row.findText(15)
    startsAt = row.findNumber(16)
    expiresAt = row.findNumber(17)
    latitude = row.findReal(18)
    longitude = row.findReal(19)
    attributes = row.findText(20)
  }
}

extension ExportedChange {
  /// - Parameter kind: the stored kind; `up` and `down` are exported as `changed`.
  init(_ kind: String, fields: String?, of ref: OfferRef, run: Int) {
    self.init()
    self.ref = ref
    self.run = run
    self.kind = kind == "first" ? .new : Kind(rawValue: kind) ?? .changed
    self.fields = fields
  }
}
