import Foundation
import OffersCore
import Synchronization

/// Evaluates the watches of all users in the transaction of a change, and writes the notices.
struct WatchRound {
  private let transaction: any Transaction
  private let reader: any FilterTextReader
  /// The time of the observations: the start of the run, or the present time.
  private let now: Date
  private let roles: [String: ValueRole]
  /// By the texts of selections, because users have the same watches. Nil for a text that this program cannot read.
  private var matchers: [String: OfferMatcher?] = [:]
  private var toldCounts: [Watch.ID: Int] = [:]
  /// The favorites of users, and the histories of offers, which are read when they are first needed.
  private var favorites: [User.ID: Set<OfferRef>] = [:]
  private var histories: [Int64: [RewardPoint]] = [:]
  /// What users hide, which is read when it is first needed.
  private var hidden: [User.ID: HiddenOffers] = [:]

  /// The number of offers that are in memory at once.
  private static let batchCount = 1000
  /// The most offers of which a watch tells after one run, as when the first sync of a feed brings thousands. The
  /// others count as told.
  static let toldLimit = 500
  /// The most offers that one look of a watch with a time, or of reminders, evaluates.
  private static let lookLimit = 10_000

  init(at now: Date, _ reader: any FilterTextReader, in transaction: any Transaction) throws {
    self.transaction = transaction
    self.reader = RememberingReader(reader)
    self.now = now
    roles = try FeedTable.presentations(in: transaction).mapValues(\.valueRole)
  }

  /// What a run has changed of an offer.
  struct Change {
    var isNew = false
    var isBack = false
    /// The reward before the change, if that changed.
    var oldReward: Reward??
    /// When the offer ended before the change, if that changed.
    var oldEnd: Date?
  }

  /// The changes that a run recorded, by the keys of the offers.
  static func changes(
    of runID: Int64, feedKey: Int64, isFirst: Bool, in transaction: any Transaction
  ) throws -> [Int64: Change] {
    var found: [Int64: Change] = [:]
    if isFirst {
      let feed = transaction.dialect.unindexed("feed_key")
      try transaction.forEach(
        "SELECT offer_key FROM offer WHERE \(feed) = $1 AND first_run_id = $2",
        [.number(feedKey), .number(runID)]
      ) { found[$0.number(0)] = Change(isNew: true) }
    }
    try transaction.forEach(
      "SELECT offer_key, kind, fields FROM change WHERE run_id = $1 AND kind <> 'first' ORDER BY change_id",
      [.number(runID)]
    ) { row in
      var change = found[row.number(0)] ?? Change()
      switch OfferChange.Kind(rawValue: row.text(1)) {
      case .new: change.isNew = true
      case .back: change.isBack = true
      default: break
      }
      if let fields = row.findText(2).map(ChangedFields.init(parsing:)) {
        if let rewards = fields.rewards { change.oldReward = .some(rewards.old) }
        let end = fields.texts.first { $0.field == OfferField.expiresAt.name }?.old
        change.oldEnd = end.flatMap(ISOTime.seconds(parsing:)).map(Date.init(storedSeconds:))
      }
      found[row.number(0)] = change
    }
    return found
  }

  /// Evaluates all watches after a run, and writes the notices.
  mutating func evaluate(_ changes: [Int64: Change]) throws {
    let keys = changes.keys.sorted()
    for start in stride(from: 0, to: keys.count, by: Self.batchCount) {
      let piece = Array(keys[start..<min(start + Self.batchCount, keys.count)])
      let batch = OfferBatch(try candidates(piece))
      let states = try WatchStateTable.states(of: piece, in: transaction)
      var places: [Int64: Int] = [:]
      for (place, offer) in batch.offers.enumerated() { places[offer.key] = place }
      var remembered: [Int64: Set<Int>] = [:]
      for key in states.keys {
        if let place = places[key.offer] { remembered[key.watch, default: []].insert(place) }
      }
      var put: [(key: WatchStateTable.Key, state: WatchState?, remindAt: Date?)] = []
      var notices: [UserNotice] = []
      for (row, places) in try WatchTable.concerned(
        with: batch, remembered: remembered, reader, in: transaction)
      {
        for place in places {
          let offer = batch.offers[place]
          let old = states[WatchStateTable.Key(offer: offer.key, watch: row.watch.id)]
          try evaluate(row, offer, changes[offer.key], old, &put, &notices)
        }
      }
      try WatchStateTable.put(put, in: transaction)
      try UserNoticeTable.insert(notices, in: transaction)
      histories = [:]
    }
  }

  /// Evaluates the watches that tell again of offers, and those whose offers enter as time passes.
  mutating func look() throws -> [UserNotice] {
    let due = try WatchStateTable.due(at: now, limit: Self.lookLimit, in: transaction)
    let reminding = try WatchTable.rows(
      of: Set(due.map(\.watch)).sorted(), reader, in: transaction)
    var notices: [UserNotice] = []
    for row in reminding {
      try look(row, at: due.filter { $0.watch == row.watch.id }.map(\.offer), &notices)
    }
    for row in try WatchTable.timed(reader, in: transaction) {
      guard var selection = try selection(of: row) else { continue }
      if case .ending(let seconds) = row.watch.rule {
        let range = now...(now + Double(seconds))
        selection.expiring = selection.expiring.map { $0.clamped(to: range) } ?? range
      }
      let keys = try keys(selection, of: row.user, limit: Self.lookLimit)
      try look(row, at: keys, &notices)
    }
    return notices
  }

  private mutating func look(
    _ row: WatchTable.Row, at keys: [Int64], _ notices: inout [UserNotice]
  ) throws {
    let now = now
    for start in stride(from: 0, to: keys.count, by: Self.batchCount) {
      let piece = Array(keys[start..<min(start + Self.batchCount, keys.count)])
      let states = try WatchStateTable.states(of: piece, row.watch.id, in: transaction)
      func state(_ key: Int64) -> WatchState? {
        states[WatchStateTable.Key(offer: key, watch: row.watch.id)]
      }
      func isDue(_ state: WatchState?) -> Bool {
        state?.reminderAt(row.watch.repeats).map { $0 <= now } ?? false
      }
      var put: [(key: WatchStateTable.Key, state: WatchState?, remindAt: Date?)] = []
      // An offer for which the rule holds, and of which nothing is due, need not be looked at.
      let wanted = piece.filter { key in state(key).map { !$0.isHeld || isDue($0) } ?? true }
      for offer in try candidates(wanted) {
        let old = state(offer.key)
        // What is due is due again only after a time, whatever the rule says of it now.
        if isDue(old) {
          let key = WatchStateTable.Key(offer: offer.key, watch: row.watch.id)
          put.append((key, old, now + Double(WatchState.reminderSeconds)))
        }
        try evaluate(row, offer, nil, old, &put, &notices)
      }
      try WatchStateTable.put(put, in: transaction)
    }
    histories = [:]
  }

  /// The states with which a watch begins, for the offers for which its rule holds.
  mutating func begin(_ watch: Watch, of user: User.ID) throws {
    guard watch.rule.holdsAtStart else { return }
    let row = WatchTable.Row(watch: watch, user: user, firstWords: nil)
    guard let selection = try selection(of: row) else { return }
    let keys = try keys(selection, of: user)
    for start in stride(from: 0, to: keys.count, by: Self.batchCount) {
      let piece = Array(keys[start..<min(start + Self.batchCount, keys.count)])
      var put: [(key: WatchStateTable.Key, state: WatchState?, remindAt: Date?)] = []
      for offer in try candidates(piece) {
        guard let observation = try observe(row, offer, nil) else { continue }
        let state = watch.rule.begin(observation) { [] }
        if !state.isBlank {
          put.append(
            (
              WatchStateTable.Key(offer: offer.key, watch: watch.id), state,
              state.reminderAt(watch.repeats)
            ))
        }
      }
      try WatchStateTable.put(put, in: transaction)
    }
  }

  /// Those watches of a user that select an offer, apart from the bounds of its value.
  mutating func watches(
    _ watches: [Watch], of user: User.ID, concerning key: Int64
  ) throws -> [Watch] {
    guard let candidate = try candidates([key]).first else { return [] }
    return try watches.filter { watch in
      let row = WatchTable.Row(watch: watch, user: user, firstWords: nil)
      guard var selection = try selection(of: row)?.withoutBounds else { return false }
      (selection.newSince, selection.expiring) = (nil, nil)
      (selection.goneOnly, selection.includesExpired) = (candidate.offer.isGone, true)
      let isFavorite =
        selection.favoritesOnly
        ? try favorites(of: user).contains(candidate.offer.ref) : false
      return try OfferMatcher(selection, at: now).matches(candidate, isFavorite: isFavorite)
    }
  }

  // MARK: One offer

  private mutating func evaluate(
    _ row: WatchTable.Row, _ offer: OfferCandidate, _ change: Change?, _ old: WatchState?,
    _ put: inout [(key: WatchStateTable.Key, state: WatchState?, remindAt: Date?)],
    _ notices: inout [UserNotice]
  ) throws {
    guard var observation = try observe(row, offer, change) else { return }
    let watch = row.watch
    var before = old ?? WatchState()
    if change != nil, let seenAt = before.seenAt {
      // A run is observed at its start. Rounds follow each other, so that its changes are newer than all that was
      // seen, whatever the clocks of the programs say.
      observation.at = max(now, Date(storedSeconds: seenAt.adding(clamped: 1)))
    }
    if before.isHeld, let end = change?.oldEnd, end < now {
      // Nobody looked when it ended.
      var ended = observation
      ended.at = min(
        max(end, before.seenAt.map(Date.init(storedSeconds:)) ?? end) + 1, observation.at - 1)
      (ended.isListed, ended.isBack) = (false, false)
      before = watch.rule.advance(before, ended, repeats: watch.repeats) { [] }.state
    }
    if before.isBlank, !observation.isListed { return }
    let points = watch.rule.needsHistory ? try history(of: offer) : []
    let (state, firing) = watch.rule.advance(before, observation, repeats: watch.repeats) { points }
    if state.isBlank != (old ?? WatchState()).isBlank
      || !state.hasSameMemory(as: old ?? WatchState())
    {
      put.append(
        (
          WatchStateTable.Key(offer: offer.key, watch: watch.id), state.isBlank ? nil : state,
          state.reminderAt(watch.repeats)
        ))
    }
    guard let firing else { return }
    toldCounts[watch.id, default: 0] += 1
    if toldCounts[watch.id, default: 0] > Self.toldLimit { return }
    notices.append(
      UserNotice(
        user: row.user, watchID: watch.id,
        subject: "watch \(watch.id) \(offer.offer.ref) \(firing.at.storedSeconds)",
        at: now, feed: offer.offer.ref.feed, offerID: offer.offer.ref.offerID,
        name: offer.offer.name, reason: .watch(firing), isUrgent: watch.isUrgent))
  }

  /// The observation of an offer; nil for a watch whose selection this program cannot read.
  private mutating func observe(
    _ row: WatchTable.Row, _ candidate: OfferCandidate, _ change: Change?
  ) throws -> WatchObservation? {
    guard let matcher = try matcher(of: row) else { return nil }
    let offer = candidate.offer
    let isFavorite =
      matcher.needsFavorites ? try favorites(of: row.user).contains(offer.ref) : false
    var isListed =
      !offer.isGone && !offer.isExpired(at: now)
      && matcher.matches(candidate, isFavorite: isFavorite)
    if isListed { isListed = try isHidden(candidate, from: row.user) == matcher.wantsHidden }
    let isNew = change?.isNew ?? false
    return WatchObservation(
      at: now, value: offer.reward?.value, isUpTo: offer.reward?.isUpTo ?? false,
      role: candidate.role, isListed: isListed, isBack: change?.isBack ?? false,
      expiresAt: offer.expiresAt,
      previous: isNew ? nil : change?.oldReward ?? offer.reward, sign: offer.reward?.sign)
  }

  private mutating func isHidden(_ offer: OfferCandidate, from user: User.ID) throws -> Bool {
    if hidden[user] == nil {
      hidden[user] = try HiddenOffers(HidingTable.subjects(of: user, in: transaction))
    }
    guard hidden[user]?.has(offer) ?? false else { return false }
    return try !favorites(of: user).contains(offer.offer.ref)
  }

  private mutating func favorites(of user: User.ID) throws -> Set<OfferRef> {
    if let known = favorites[user] { return known }
    let found = try FavoriteTable.refs(of: user, before: .distantFuture, in: transaction)
    favorites[user] = found
    return found
  }

  /// The points of an offer's history before the run.
  private mutating func history(of offer: OfferCandidate) throws -> [RewardPoint] {
    if let known = histories[offer.key] { return known }
    let stored = OfferTable.Stored(key: offer.key, offer: UserOffer(offer.offer))
    let points = try ChangeTable.historyPage(of: stored, HistoryQuery(), in: transaction).points
      .filter { $0.at < now }
    histories[offer.key] = points
    return points
  }

  private func candidates(_ keys: [Int64]) throws -> [OfferCandidate] {
    if keys.isEmpty { return [] }
    var found: [Int64: OfferCandidate] = [:]
    let isWanted = transaction.dialect.isElement("offer.offer_key", of: "$2")
    try transaction.scan(
      """
      SELECT \(OfferColumns.columns), offer.attributes FROM \(OfferColumns.source) WHERE \(isWanted)
      """, [.number(0), .numbers(keys)], isFrequent: true
    ) { row in
      let stored = OfferTable.stored(row)
      let own = row.findText(OfferColumns.count).map(OfferAttribute.parse) ?? []
      let offer = stored.offer.offer
      found[stored.key] = OfferCandidate(
        key: stored.key, offer, ownAttributes: own, role: roles[offer.ref.feed] ?? .reward)
      return true
    }
    return keys.compactMap { found[$0] }
  }

  private func selection(of row: WatchTable.Row) throws -> Selection? {
    // A text of a newer program is passed over.
    try? SelectionText(parsing: row.watch.selection).selection(at: now, reader)
  }

  private mutating func matcher(of row: WatchTable.Row) throws -> OfferMatcher? {
    if let known = matchers[row.watch.selection] { return known }
    let matcher = try selection(of: row).map { try OfferMatcher($0, at: now) }
    matchers[row.watch.selection] = .some(matcher)
    return matcher
  }

  /// The keys of the offers of a selection. Words are left out where the search index is not current; the caller tests
  /// the offers in memory in any case.
  private func keys(
    _ selection: Selection, of user: User.ID, limit: Int? = nil
  ) throws -> [Int64] {
    var query = OfferQuery()
    query.selection = selection
    query.selection.includesHidden = true
    query.now = now
    query.sort = .expiry
    query.pricedFeeds = Set(roles.lazy.filter { $0.value == .price }.map(\.key))
    if !selection.words.isEmpty, try !transaction.isSearchCurrent() { query.selection.words = "" }
    let feeds: NamedFeeds
    do {
      feeds = try NamedFeeds(query.selection.feeds, nil, in: transaction)
    } catch let error as OffersError where error.code == .notFound {
      return []
    }
    return try SelectedOffers(query, of: user, feeds: feeds, in: transaction)
      .keys(offset: 0, limit: limit, in: transaction)
  }
}

/// Reads each bound once: many watches have the same.
private final class RememberingReader: FilterTextReader {
  private struct Key: Hashable {
    let text: String
    let role: ValueRole
    let isLeast: Bool
  }

  private let reader: any FilterTextReader
  private let bounds = Mutex<[Key: ValueBound]>([:])

  init(_ reader: any FilterTextReader) { self.reader = reader }

  func readBound(_ text: String, of role: ValueRole, isLeast: Bool) throws -> ValueBound {
    let key = Key(text: text, role: role, isLeast: isLeast)
    if let known = bounds.withLock({ $0[key] }) { return known }
    let bound = try reader.readBound(text, of: role, isLeast: isLeast)
    bounds.withLock { $0[key] = bound }
    return bound
  }

  func readTime(_ text: String, now: Date) throws -> Date { try reader.readTime(text, now: now) }

  func readSeconds(_ text: String) throws -> Double { try reader.readSeconds(text) }

  func text(of value: Reward.Value) -> String { reader.text(of: value) }
}
