import Foundation
import OffersCore

/// The write of one sync, on a copy of the store's state.
struct MemorySync {
  private(set) var state: MemoryState
  private let plan: SyncPlan
  /// The user who is told of returned favorites.
  private let user: User.ID
  private let time: Date
  private var counts: SyncCounts
  private var problems: [ReadProblem]
  /// The ids of the feed's offers.
  private var refs: Set<OfferRef>
  /// The number of offers before the new ones.
  private let oldCount: Int

  init(_ state: MemoryState, _ plan: SyncPlan, user: User.ID) {
    self.state = state
    self.plan = plan
    self.user = user
    time = plan.run.startedAt.inSeconds
    counts = plan.run.counts
    problems = plan.run.problems
    refs = Set(state.offers.lazy.map(\.ref).filter { $0.feed == plan.run.feed })
    oldCount = state.offers.count
  }

  /// Applies the plan and records its run.
  ///
  /// - Returns: the run as it was recorded.
  mutating func apply() throws -> SyncRun {
    let feed = plan.run.feed
    // A search on a feed's server does not subscribe to the feed.
    state.put(
      feed, source: plan.rememberedSource?.text ?? plan.run.source, subscribes: !plan.isSearch,
      at: plan.run.startedAt)
    if plan.isSearch { try applyFound() } else { try applyDocument() }
    if !plan.isSearch, var stored = state.feeds[feed] {
      stored.document = plan.document
      if !plan.keepsFacts {
        stored.title = plan.title
        stored.shared = plan.shared
        stored.source = plan.run.source
      }
      if let missing = plan.missing {
        stored.missing = missing.sorted { $0.key < $1.key }
      }
      state.feeds[feed] = stored
    }
    state.setSource(plan.rememberedSource, of: feed)
    if let fetch = plan.fetch { state.feeds[feed]?.fetch = fetch }
    if let shown = plan.presentation { state.feeds[feed]?.presentation = shown }
    let run = SyncRun(
      feed: feed, source: plan.run.source, outcome: plan.run.outcome, counts: counts,
      bytes: plan.run.bytes, startedAt: plan.run.startedAt,
      durationSeconds: plan.run.durationSeconds, error: plan.run.error, problems: problems,
      mendedCount: plan.run.mendedCount, request: plan.run.request,
      returned: plan.isSearch ? [] : state.returned(among: newOffers, of: user),
      nextDueAt: plan.run.nextDueAt)
    state.feeds[feed]?.runs.append(run)
    return run
  }

  private var newOffers: ArraySlice<MemoryOffer> {
    state.offers.dropFirst(min(oldCount, state.offers.count))
  }

  private mutating func applyDocument() throws {
    let feed = plan.run.feed
    let isFirst =
      plan.replacesSample
      || !state.offers.contains { $0.ref.feed == feed && $0.foundAt == nil }
    // New offers of a first sync are one change, recorded after the last of them.
    var first: [Int64] = []
    func record(new key: Int64, in sync: inout MemorySync) {
      sync.counts.new += 1
      if isFirst { first.append(key) } else { sync.state.append(.new, key, at: sync.time) }
    }
    var lost: [(ref: OfferRef, content: MemoryOffer.Content, position: Int)] = []
    var promoted: [Int64] = []
    try plan.knownRecords.forEachRecord { record in
      let content = MemoryOffer.Content(record)
      guard let place = state.findPlace(record.offerKey) else {
        lost.append((Self.ref(record, feed), content, record.position))
        return
      }
      if try replace(place, with: content) { promoted.append(record.offerKey) }
    }
    for key in promoted.sorted() { record(new: key, in: &self) }
    // Known offers that were removed from the store since the comparison are new ones.
    for (ref, content, position) in lost {
      if let key = try insert(ref, content, position) { record(new: key, in: &self) }
    }
    try plan.newRecords.forEachRecord { new in
      let content = MemoryOffer.Content(new)
      if let key = try insert(Self.ref(new, feed), content, new.position) {
        record(new: key, in: &self)
      }
    }
    if !first.isEmpty { state.appendFirst(first, of: feed, at: time) }
    try removeVanished()
  }

  /// Replaces the content of a known offer.
  ///
  /// - Returns: whether it is a new offer of the feed, which only a search had found so far.
  private mutating func replace(
    _ place: Int, with content: MemoryOffer.Content
  ) throws -> Bool {
    try check(content)
    let old = state.offers[place]
    let fields = old.content.changedFields(to: content)
    state.offers[place].update(content, at: time)
    state.offers[place].goneAt = nil
    if old.foundAt != nil {
      state.offers[place].foundAt = nil
      state.offers[place].changedAt = time
      guard state.changes.contains(where: { $0.key == old.key && $0.kind == .gone }) else {
        state.offers[place].firstSeenAt = time
        return true
      }
      counts.back += 1
      state.append(.back, old.key, at: time)
      return false
    }
    if !fields.isEmpty { state.append(.changed, old.key, fields, from: old.content, at: time) }
    if old.goneAt != nil {
      counts.back += 1
      state.append(.back, old.key, at: time)
    } else if fields.isEmpty {
      counts.unchanged += 1
    } else {
      counts.changed += 1
    }
    return false
  }

  /// Inserts a new offer.
  ///
  /// - Returns: its key; nil if the feed has an offer with its id already.
  private mutating func insert(
    _ ref: OfferRef, _ content: MemoryOffer.Content, _ position: Int
  ) throws -> Int64? {
    try check(content)
    guard refs.insert(ref).inserted else {
      if position <= plan.firstPageRecords ?? .max {
        counts.skipped += 1
        if problems.count < SyncRun.problemLimit {
          problems.append(
            ReadProblem(
              position: position, effect: .skipped, reason: ReadProblem.repeated(ref.offerID)))
        }
      }
      return nil
    }
    state.lastKey += 1
    state.offers.append(MemoryOffer(content, key: state.lastKey, ref: ref, at: time))
    return state.lastKey
  }

  private mutating func removeVanished() throws {
    // Never before the feed's last run: a clock that was set back would make the offers look as if
    // they had vanished long ago.
    let last = state.feeds[plan.run.feed]?.runs.last?.startedAt.inSeconds ?? time
    for key in plan.vanishedKeys {
      guard let place = state.findPlace(key), state.offers[place].goneAt == nil else { continue }
      if plan.replacesSample, !state.isStarred(state.offers[place].ref) {
        state.offers.remove(at: place)
        continue
      }
      state.offers[place].goneAt = max(time, last, state.offers[place].firstSeenAt)
      counts.gone += 1
      state.append(.gone, key, at: time)
    }
    if plan.replacesSample { state.forgetSample(of: plan.run.feed) }
  }

  /// Stores the offers that a search on the feed's server found, beside those of the feed's document.
  private mutating func applyFound() throws {
    let feed = plan.run.feed
    try plan.knownRecords.forEachRecord { record in
      guard let place = state.findPlace(record.offerKey) else { return }
      counts.unchanged += 1
      let old = state.offers[place]
      guard old.foundAt != nil || (old.goneAt != nil && !state.isStarred(old.ref)) else { return }
      state.offers[place].update(MemoryOffer.Content(record), at: time)
      state.offers[place].goneAt = nil
      state.offers[place].foundAt = time
    }
    try plan.newRecords.forEachRecord { record in
      let content = MemoryOffer.Content(record)
      guard refs.insert(Self.ref(record, feed)).inserted else { return }
      state.lastKey += 1
      counts.new += 1
      var offer = MemoryOffer(
        content, key: state.lastKey, ref: Self.ref(record, feed), at: time)
      offer.foundAt = time
      state.offers.append(offer)
    }
    removeSurplusFound()
  }

  /// Removes the found offers above `Retention.foundOfferLimit`, those whose last find is oldest.
  private mutating func removeSurplusFound() {
    let found = state.offers.filter { $0.foundAt != nil && !state.isStarred($0.ref) }
      .sorted { ($0.foundAt ?? .distantPast, $0.key) > ($1.foundAt ?? .distantPast, $1.key) }
    let surplus = Set(found.dropFirst(Retention.foundOfferLimit).map(\.key))
    state.offers.removeAll { surplus.contains($0.key) }
  }

  private func check(_ content: MemoryOffer.Content) throws {
    if content.texts[.name]?.isEmpty ?? true {
      throw OffersError(.storageFailed, "An offer without a name cannot be stored.")
    }
  }

  private static func ref(_ record: OfferRecord, _ feed: String) -> OfferRef {
    OfferRef(feed: feed, offerID: record.id)
  }
}
