import Foundation
import OffersCore

extension OffersDatabase {
  /// The watches of the user in the order in which they were added. One of a newer program is left out.
  package func fetchWatches(_ reader: any FilterTextReader) async throws(OffersError) -> [Watch] {
    try await transaction(.query) { [user] in try WatchTable.list(of: user, reader, in: $0) }
  }

  /// A watch of the user.
  ///
  /// - Throws: `OffersError` with `notFound`.
  package func fetchWatch(
    _ id: Watch.ID, _ reader: any FilterTextReader
  ) async throws(OffersError) -> Watch {
    try await transaction(.query) { [user] in
      try WatchTable.fetch(id, of: user, reader, in: $0)
    }
  }

  /// The watches of the user that are not paused and select an offer, apart from the bounds of its value. An offer that
  /// is gone or has ended counts as selected, too.
  ///
  /// - Returns: none for an unknown offer.
  package func fetchWatches(
    concerning ref: OfferRef, now: Date = Date(), _ reader: any FilterTextReader
  ) async throws(OffersError) -> [Watch] {
    try await transaction(.query) { [user] transaction in
      let watches = try WatchTable.list(of: user, reader, in: transaction)
        .filter { $0.pausedAt == nil }
      guard !watches.isEmpty, let key = try OfferTable.findKey(ref, in: transaction) else {
        return []
      }
      var round = try WatchRound(at: now, reader, in: transaction)
      return try round.watches(watches, of: user, concerning: key)
    }
  }

  /// When each watch of the user last told something, of those that told something in the last 30 days.
  package func fetchLastTold() async throws(OffersError) -> [Watch.ID: Date] {
    try await transaction(.query) { [user] in try UserNoticeTable.lastTold(of: user, in: $0) }
  }

  /// Adds a watch, or replaces the texts of one. A new one, and one with another selection, rule or repetition, begins
  /// anew: the offers for which its rule holds now count as told.
  ///
  /// - Parameters:
  ///   - draft: the watch.
  ///   - id: the watch that is replaced; nil to add one.
  ///   - now: the present time.
  ///   - reader: reads its texts.
  /// - Throws: `OffersError`: `notFound` for a watch that the user does not have, and for an unknown feed;
  ///   `invalidRequest` for too many watches, for one that the user has already, and for one that would tell of each new
  ///   offer of all feeds.
  package func putWatch(
    _ draft: WatchDraft, id: Watch.ID? = nil, now: Date = Date(), _ reader: any FilterTextReader
  ) async throws(OffersError) -> Watch {
    try draft.checkIsBounded()
    return try await transaction(.removal) { [user, definitions] transaction in
      try UserTable.check(user, isExclusive: true, in: transaction)
      let old = try id.map { try WatchTable.fetch($0, of: user, reader, in: transaction) }
      if draft.selection.description != old?.selection {
        var feeds = NameChoice()
        feeds.wanted = draft.selection.texts(of: .feed)
        feeds.unwanted = draft.selection.texts(of: .notFeed)
        _ = try NamedFeeds(feeds, definitions, in: transaction)
      }
      let key = try WatchTable.put(draft, id: id, of: user, at: now, in: transaction)
      let watch = try WatchTable.fetch(key, of: user, reader, in: transaction)
      if let old, old.selection == watch.selection, old.rule.text == watch.rule.text,
        old.repeats == watch.repeats
      {
        return watch
      }
      try WatchTable.forget(key, in: transaction)
      if watch.pausedAt == nil {
        var round = try WatchRound(at: now, reader, in: transaction)
        try round.begin(watch, of: user)
      }
      return watch
    }
  }

  /// Pauses a watch of the user, or resumes it, so that it begins anew.
  ///
  /// - Throws: `OffersError` with `notFound`.
  package func setWatch(
    _ id: Watch.ID, isPaused: Bool, now: Date = Date(), _ reader: any FilterTextReader
  ) async throws(OffersError) -> Watch {
    try await transaction(.removal) { [user] transaction in
      try UserTable.check(user, isExclusive: true, in: transaction)
      let watch = try WatchTable.fetch(id, of: user, reader, in: transaction)
      if (watch.pausedAt != nil) == isPaused { return watch }
      try WatchTable.setPaused(id, at: isPaused ? now : nil, of: user, in: transaction)
      let changed = try WatchTable.fetch(id, of: user, reader, in: transaction)
      if !isPaused {
        var round = try WatchRound(at: now, reader, in: transaction)
        try round.begin(changed, of: user)
      }
      return changed
    }
  }

  /// Removes a watch of the user. Its notices stay.
  ///
  /// - Throws: `OffersError` with `notFound`.
  public func removeWatch(_ id: Watch.ID) async throws(OffersError) {
    let wasThere = try await transaction(.write) { [user] transaction in
      try UserTable.check(user, isExclusive: true, in: transaction)
      return try WatchTable.remove(id, of: user, in: transaction)
    }
    if wasThere { return }
    throw WatchTable.missing(id)
  }

  /// Evaluates the watches whose offers enter as time passes, and those that tell again; and writes the notices about
  /// favorites that end and feeds that fail.
  ///
  /// - Returns: the number of notices that are new.
  @discardableResult
  package func lookAtWatches(
    now: Date = Date(), _ reader: any FilterTextReader
  ) async throws(OffersError) -> Int {
    // Without a channel, most looks find nothing, and need no write transaction.
    let isDue = try await transaction(.read) { transaction in
      try transaction.exists(
        """
        SELECT 1 WHERE EXISTS (SELECT 1 FROM channel)
          OR EXISTS (SELECT 1 FROM watch WHERE paused_at IS NULL AND is_timed)
          OR EXISTS (SELECT 1 FROM watch_state WHERE remind_at <= $1)
        """, [.date(now)]) || !FavoriteNotices.ending(at: now, in: transaction).isEmpty
    }
    if !isDue { return 0 }
    // Two nodes follow each other, and the second one finds what the first has told.
    return try await transaction(.removal) { transaction in
      var round = try WatchRound(at: now, reader, in: transaction)
      let notices =
        try round.look() + FavoriteNotices.ending(at: now, in: transaction)
        + FavoriteNotices.failing(at: now, in: transaction)
      return try UserNoticeTable.insert(notices, in: transaction)
    }
  }

  /// The time at which a delivery or a reminder is due next, for all users; nil if none waits. It may have passed.
  package func fetchNextDueTime(after now: Date) async throws(OffersError) -> Date? {
    try await transaction(.query) { transaction in
      let times = [
        try ChannelTable.nextDueTime(after: now, in: transaction),
        try WatchStateTable.nextDueTime(in: transaction),
      ]
      return times.compactMap(\.self).min()
    }
  }

  /// How often a rule would have told of the offers of a selection, by their stored histories, and how many there are.
  ///
  /// - Parameters:
  ///   - draft: the watch.
  ///   - days: the period up to now, in days.
  ///   - now: the present time.
  ///   - reader: reads the texts of the watch.
  /// - Returns: the number of the offers that are in the selection now, the first of them, and the preview, which has the
  ///   first `WatchPreview.mostOffers` of them.
  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  package func previewWatch(
    _ draft: WatchDraft, days: Int = 60, now: Date = Date(), _ reader: any FilterTextReader
  ) async throws(OffersError) -> (count: Int, first: [UserOffer], preview: WatchPreview) {
    let presentations = try await fetchPresentations()
    var query = OfferQuery()
    query.now = now
    query.pricedFeeds = Set(presentations.lazy.filter { $0.value.hasPrices }.map(\.key))
    query.selection = try OffersError.translating {
      try draft.selection.selection(at: now, reader)
    }
    return try await read { [user, query] transaction in
      let selected = try self.selectOffers(query, in: transaction)
      let first = try OfferTable.list(
        keys: selected.keys(offset: 0, limit: 3, in: transaction), of: user, in: transaction)
      var preview = WatchPreview(
        of: draft.rule, repeats: draft.repeats, in: now - Double(days) * 86_400...now)
      // Offers that are outside of the bounds now may have been within.
      var wide = query
      wide.selection = query.selection.withoutBounds
      let keys = try self.selectOffers(wide, in: transaction).keys(
        offset: 0, limit: WatchPreview.mostOffers, in: transaction)
      preview.isPart = keys.count == WatchPreview.mostOffers
      for stored in try OfferTable.list(keys: keys, of: user, in: transaction) {
        let points = try ChangeTable.historyPage(of: stored, HistoryQuery(), in: transaction).points
        preview.add(
          points, role: presentations[stored.offer.ref.feed]?.valueRole ?? .reward,
          expiresAt: stored.offer.expiresAt, selection: query.selection)
      }
      return (try selected.count(in: transaction), first.map(\.offer), preview)
    }
  }
}
