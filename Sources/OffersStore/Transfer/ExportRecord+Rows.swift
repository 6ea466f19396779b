import OffersCore

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
