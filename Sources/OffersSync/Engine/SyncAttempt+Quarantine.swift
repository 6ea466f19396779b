import OffersCore

/// Holds back removals that are probably caused by a faulty document, and not intended by the feed.
extension SyncAttempt {
  /// The number of offers that may vanish in one sync, whatever their share, unless the document is
  /// empty.
  private static let quarantineCount = 10
  /// The share of the offers that may vanish in one sync, in percent, whatever their number, unless
  /// the document is empty.
  private static let quarantinePercent = 10

  /// Whether the document has offers, but none of the current stored ones, of which there are more
  /// than `quarantineCount`. It then probably belongs to another feed, and none of its offers is
  /// stored as long as the removals are held back.
  func isStrange(_ collector: DifferenceCollector) -> Bool {
    let known = collector.known
    return known.currentCount > Self.quarantineCount && known.seenCurrentCount == 0
      && collector.offerCount > 0
  }

  /// The error of removals that are held back; nil if they are applied. They are held back if the
  /// document has no offers, or if more than `quarantineCount` of the current offers are missing,
  /// and these are more than `quarantinePercent` percent of all. They are applied if the user
  /// accepts them, and if the document is not empty and replaces the sample.
  func quarantine(_ collector: DifferenceCollector) -> OffersError? {
    // An offer that is missing in a selection, such as a search, has not vanished.
    if isSelection { return nil }
    let known = collector.known.currentCount
    let vanished = known - collector.known.seenCurrentCount
    let isMuch = vanished > Self.quarantineCount && vanished * 100 > known * Self.quarantinePercent
    let isAll = vanished > 0 && collector.offerCount == 0
    if options.acceptsRemovals || !(isMuch || isAll) { return nil }
    // The first document after the built-in sample replaces invented offers by real ones.
    if state?.lastGoodSource == SyncSource.sample.text, source != .sample, !isAll { return nil }
    let what =
      isStrange(collector)
      ? "None of the \(known) offers is in this document; nothing was changed."
      : (isAll ? "The feed is empty: all \(known)" : "\(vanished) of \(known)")
        + " offers would be removed; none was."
    return OffersError(.quarantined, what, advice: acceptance)
  }

  /// The advice on how to accept the removals, with the source unless it is the usual one.
  var acceptance: Advice {
    let source = template.text == usualSource ? nil : template.text
    return Advice("If that is right", .acceptRemovals(feed: definition.name, source: source))
  }
}
