import Foundation
import OffersCore
import OffersFeeds

/// Holds back removals that are probably caused by a faulty document, and not intended by the feed.
extension SyncAttempt {
  /// Decides about the offers that a document lacks.
  ///
  /// - Parameters:
  ///   - collector: the comparison of the document with the stored offers.
  ///   - facts: the document's statements about itself.
  ///   - store: the store with the offers that were missing before.
  /// - Returns: nil if the document says nothing about missing offers, because it is a selection or
  ///   replaces the sample.
  func decideRemovals(
    _ collector: DifferenceCollector, _ facts: DocumentFacts, in store: any SyncStore
  ) async throws -> RemovalDecision? {
    // An offer that is missing in a selection, such as a search, has not vanished.
    if isSelection || replacesSample(collector) { return nil }
    var document = RemovalDecision.Document(
      missingKeys: collector.known.vanishedKeys(), currentCount: collector.known.currentCount,
      offerCount: collector.offerCount)
    // The first document after the built-in sample replaces invented offers by real ones.
    let isAfterSample =
      state?.lastGoodSource == SyncSource.sample.text && source != .sample
      && collector.offerCount > 0
    if document.missingKeys.isEmpty || isAfterSample {
      return RemovalDecision(document, marks: [], hold: hold, choice: .remove, now: startedAt)
    }
    if collector.known.seenCount == 0, collector.offerCount > 0 {
      document.isStrange = try await isStrange(collector.look, facts, in: store)
    }
    let marks = try await store.fetchMissingOffers(of: definition.name)
    return RemovalDecision(document, marks: marks, hold: hold, choice: choice, now: startedAt)
  }

  /// Gives stored offers the ids under which the document has them, if it prints other ids than before.
  ///
  /// - Returns: whether an id has changed, so that the document has to be compared anew.
  func takesOverIDs(
    _ collector: DifferenceCollector, in store: any SyncStore
  ) async throws -> Bool {
    // The document has to be read a second time, which standard input does not allow.
    if isTrial || isSelection || source == .standardInput { return false }
    let offers = collector.linkedOffers
    let keys = collector.known.vanishedKeys()
    guard (1...OfferRenaming.limit).contains(offers.count),
      (1...OfferRenaming.limit).contains(keys.count)
    else { return false }
    try Task.checkCancellation()
    return try await store.renameOffers(of: definition.name, as: offers, missingKeys: keys) > 0
  }

  /// Whether a document without any known offer does not look like one of the feed.
  private func isStrange(
    _ look: FeedTraits, _ facts: DocumentFacts, in store: any SyncStore
  ) async throws -> Bool {
    var known = try await store.fetchLook(of: definition.name)
    var found = look
    // A title that the definition states says nothing about the document.
    if definition.title.hasConstant { known.title = nil } else { found.title = facts.title }
    return !found.isLike(known)
  }

  /// Decides about the missing offers after the server or the file repeated the document that lacks
  /// them, which is not read again.
  private func decideAboutRepeated(
    in store: any SyncStore
  ) async throws -> (decision: RemovalDecision, offerCount: Int) {
    let marks = try await store.fetchMissingOffers(of: definition.name)
    let document = RemovalDecision.Document(
      missingKeys: marks.map(\.key), currentCount: state?.currentCount ?? 0,
      offerCount: max(0, (state?.currentCount ?? 0) - marks.count))
    return (
      RemovalDecision(document, marks: marks, hold: hold, choice: choice, now: startedAt),
      document.offerCount
    )
  }

  /// Whether removals are held back, or the user decides about offers that were kept.
  func hasMissing(in store: any SyncStore) async throws -> Bool {
    if state?.fetch.held != nil { return true }
    if choice == .none { return false }
    return try await !store.fetchMissingOffers(of: definition.name).isEmpty
  }

  /// Ends a sync whose document is the one that was stored while removals were held back.
  ///
  /// - Parameter bytes: the number of bytes that were read.
  func repeated(_ bytes: Int, in store: any SyncStore) async throws -> Result {
    let (decision, offerCount) = try await decideAboutRepeated(in: store)
    var counts = SyncCounts()
    counts.unchanged = offerCount
    let error = error(of: decision, isEmpty: offerCount == 0)
    let (run, fetch) = end(
      error == nil ? .updated : .quarantined, bytes: bytes, counts: counts, error: error,
      removals: decision)
    let plan = SyncPlan(
      run: run, newRecords: SpooledRecords.none, knownRecords: SpooledRecords.none,
      vanishedKeys: decision.vanishedKeys, missing: decision.missing,
      rememberedSource: error == nil && remembered != state?.source ? remembered : nil,
      document: state?.document, isIndexed: options.isIndexed,
      presentation: definition.presentation, keepsFacts: true, fetch: fetch)
    return try await write(plan, holdingBack: decision.held, to: store)
  }

  /// A document of another source confirms nothing: only a person decides about what it lacks.
  private var hold: RemovalHold {
    let hold = definition.hold ?? .usual
    return template.text == usualSource || hold == .seconds(0) ? hold : .never
  }

  var choice: RemovalDecision.Choice {
    options.acceptsRemovals ? .remove : options.keepsMissing ? .keep : .none
  }

  /// The error of a run whose document is not believed: it is empty, waits as a whole, or comes from
  /// another source than the feed's own. Nil for all others.
  func error(of removals: RemovalDecision?, isEmpty: Bool) -> OffersError? {
    guard let held = removals?.held else { return nil }
    let known = state?.currentCount ?? held.missingCount
    let missing = "\(held.missingCount) of \(known) offers"
    let message: String
    if held.waitingCount > 0 {
      message =
        "None of the \(known) offers is in this document, which does not look like the feed: "
        + "it is held back as a whole."
    } else if isEmpty {
      message = "The feed is empty: the removal of \(missing) is held back."
    } else if template.text != usualSource {
      message =
        "The removal of \(missing) is held back, and the feed keeps the source that it had."
    } else {
      return nil
    }
    return OffersError(.quarantined, message, advice: acceptance)
  }

  /// The advice on how to accept the removals, with the source unless it is the usual one.
  private var acceptance: Hint {
    let source = template.text == usualSource ? nil : template.text
    return Hint(
      "If that is right, accept the removals.",
      command: Hint.syncCommand(definition.name, from: source) + " --accept-removals")
  }
}

extension FieldRule {
  /// Whether the value may be a text of the definition.
  fileprivate var hasConstant: Bool {
    alternatives.contains { if case .constant = $0.value { true } else { false } }
  }
}
