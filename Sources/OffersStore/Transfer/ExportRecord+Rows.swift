import OffersCore

// Initializers that read an export's records from a row. The columns begin at a given index and have the
// order of `columns`.

extension ExportedFeed {
  package static let columns = """
    feed.name, feed.source, feed.subscribed_at, feed.title, feed.chosen_source,
    feed.unsubscribed_at, feed.shared, feed.presentation
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
  package static let columns = """
    offer.id, offer.name, offer.description, offer.terms, offer.reward_text,
    offer.reward_minor_units, offer.reward_currency, offer.reward_percent_hundredths,
    offer.reward_up_to, offer.image_url, offer.url, offer.first_seen_at, offer.changed_at,
    offer.gone_at, offer.retailer, offer.categories, offer.starts_at, offer.expires_at,
    offer.latitude, offer.longitude, offer.attributes
    """

  package init(_ row: any SQLRow, from first: Int, feed: String) {
    self.init()
    ref = OfferRef(feed: feed, offerID: row.text(first))
    name = row.text(first + 1)
    description = row.findText(first + 2)
    terms = row.findText(first + 3)
    reward = OfferColumns.reward(row, from: first + 4)
    imageURL = row.findText(first + 9)
    url = row.findText(first + 10)
    firstSeenAt = row.number(first + 11)
    changedAt = row.number(first + 12)
    goneAt = row.findNumber(first + 13)
    retailer = row.findText(first + 14)
    categories = row.findText(first + 15)
    startsAt = row.findNumber(first + 16)
    expiresAt = row.findNumber(first + 17)
    latitude = row.findReal(first + 18)
    longitude = row.findReal(first + 19)
    attributes = row.findText(first + 20)
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
