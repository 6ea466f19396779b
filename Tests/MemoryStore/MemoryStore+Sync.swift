import Foundation
import OffersCore

extension MemoryStore: SyncStore {
  package var scratchFolder: String { NSTemporaryDirectory() }

  package func withSyncLock<Result: Sendable>(
    on feed: String, waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let deadline = ContinuousClock.now + .seconds(waitSeconds)
    while !setSyncing(feed, to: true) {
      guard ContinuousClock.now < deadline else {
        throw OffersError(
          .locked, "Another process is syncing \(feed).",
          hint: "Nothing was changed. Wait for it, then sync again.")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    defer { _ = setSyncing(feed, to: false) }
    return try await body()
  }

  package func fetchSubscribedFeeds() async throws -> [String] {
    try read { $0.subscribedFeeds }
  }

  package func findSyncState(of feed: String) async throws -> SyncState? {
    try read { state in
      guard let found = state.feeds[feed] else { return nil }
      // A failed run that did not raise the failure count was a trial of another source.
      let lastRunAt = found.runs.last {
        $0.outcome != .failed || found.fetch?.failureCount != 0
      }?.recorded.startedAt
      let fetch = found.fetch ?? FetchState()
      if !found.isSubscribed {
        if found.namedSource == nil && found.fetch == nil { return nil }
        return SyncState(
          source: found.namedSource, document: nil, currentCount: 0, lastGoodSource: nil,
          lastRunAt: lastRunAt, fetch: fetch)
      }
      return SyncState(
        source: found.namedSource, document: found.document,
        currentCount: state.offers.count { $0.ref.feed == feed && state.isCurrent($0) },
        lastGoodSource: found.lastGoodRun?.source, lastRunAt: lastRunAt, fetch: fetch)
    }
  }

  package func fetchKnownOffers(of feed: String) async throws -> KnownOffers {
    try read { state in
      var known = KnownOffers(capacity: state.offers.count)
      for offer in state.offers where offer.ref.feed == feed {
        Array(offer.ref.offerID.utf8).withUnsafeBytes {
          known.insert(
            id: $0, contentHash: offer.content.hash, key: offer.key,
            isGone: offer.goneAt != nil || offer.foundAt != nil)
        }
      }
      return known
    }
  }

  package func fetchMissingOffers(of feed: String) async throws -> [MissingOffer] {
    try read { $0.missing(of: feed) }
  }

  package func fetchLook(of feed: String) async throws -> FeedLook {
    try read { state in
      var look = FeedLook(title: state.feeds[feed]?.title)
      let current = state.offers.filter { $0.ref.feed == feed && state.isCurrent($0) }
      for offer in current.suffix(FeedLook.offerLimit) {
        let texts = offer.content.texts
        look.addOffer(
          url: texts[.url].map { String(decoding: $0, as: UTF8.self) },
          hasDescription: texts[.description] != nil, hasTerms: texts[.terms] != nil,
          hasReward: texts[.reward] != nil, hasImage: texts[.imageURL] != nil)
      }
      return look
    }
  }

  package func renameOffers(
    of feed: String, as newOffers: [LinkedOffer], missingKeys: [Int64]
  ) async throws -> Int {
    try write { state in
      var renaming = OfferRenaming(newOffers, missingKeys: missingKeys)
      for offer in state.offers where offer.ref.feed == feed && state.isCurrent(offer) {
        guard let url = offer.content.texts[.url], let name = offer.content.texts[.name] else {
          continue
        }
        renaming.see(key: offer.key, id: offer.ref.offerID, url: url, name: name)
      }
      for rename in renaming.renames {
        state.rename(
          rename.key, from: OfferRef(feed: feed, offerID: rename.oldID),
          to: OfferRef(feed: feed, offerID: rename.newID))
      }
      return renaming.renames.count
    }
  }

  package func apply(_ plan: SyncPlan) async throws -> SyncRun {
    try write { state in
      var sync = MemorySync(state, plan, user: user)
      let run = try sync.apply()
      state = sync.state
      return run
    }
  }

  package func preview(_ plan: SyncPlan) async throws -> (run: SyncRun, changes: [OfferChange]) {
    try read { state in
      var sync = MemorySync(state, plan, user: user)
      let run = try sync.apply()
      var query = ChangeQuery(now: plan.run.startedAt)
      query.afterID = state.lastChangeID
      query.kinds = Set(OfferChange.Kind.allCases).subtracting([.expiring])
      return (run, try sync.state.changes(query, of: user))
    }
  }

  package func record(
    _ run: SyncRun, remember source: NamedSource?, fetch: FetchState?,
    presentation: FeedPresentation?
  ) async throws {
    if let source { try StoredText.check(source.text) }
    try write { state in
      state.put(
        run.feed, source: source?.text ?? run.source, subscribes: run.outcome != .failed,
        at: run.startedAt)
      state.feeds[run.feed]?.runs.append(run)
      state.setSource(source, of: run.feed)
      if let fetch { state.feeds[run.feed]?.fetch = fetch }
      if let presentation { state.feeds[run.feed]?.presentation = presentation }
    }
  }

  /// Removes offers that vanished 30 days ago, except for favorites; the history of changes is kept.
  package func clearAway(at now: Date) async throws {
    let month = 30 * 86_400.0
    try write { state in
      let kept = state
      state.offers.removeAll { offer in
        guard let end = offer.goneAt ?? offer.foundAt, !kept.isStarred(offer.ref) else {
          return false
        }
        return end <= now - month
      }
    }
  }
}

extension MemoryState {
  /// The missing offers of a feed that are still in its list.
  func missing(of feed: String) -> [MissingOffer] {
    (feeds[feed]?.missing ?? []).filter { missing in
      findPlace(missing.key).map { offers[$0].goneAt == nil } ?? false
    }
  }
}
