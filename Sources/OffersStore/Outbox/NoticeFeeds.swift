import Foundation
import OffersCore

extension OffersDatabase {
  /// The document for a feed reader with the notices of the user or the changes of a feed, or that for a calendar with
  /// the ends of offers.
  ///
  /// - Parameters:
  ///   - format: the format of the document.
  ///   - subject: of what it tells.
  ///   - address: the address from which it is read; nil for none.
  ///   - limit: the most entries.
  ///   - now: the present time.
  ///   - reader: reads the texts of watches, and writes values.
  /// - Throws: `OffersError` with `notFound` for a watch that the user does not have, and for an unknown feed.
  package func fetchNoticeFeed(
    _ format: NoticeFeed.Format, of subject: FeedAddress.Subject = .news, address: URL? = nil,
    limit: Int = NoticeFeed.mostEntries, now: Date = Date(), _ reader: any FilterTextReader
  ) async throws -> String {
    var title = "offers"
    var name = "news-\(user)"
    switch subject {
    case .news: break
    case .watch(let id):
      let watch = try await fetchWatch(id, reader)
      title += ": \(watch.name ?? watch.selection)"
      name = "watch-\(id)"
    case .feed(let feed):
      title += ": \(feed)"
      name = "feed-\(feed)"
    }
    let entries: [NoticeFeed.Entry] =
      switch (format, subject) {
      case (.ics, _): try await ends(of: subject, limit: limit, now: now, reader)
      case (_, .news): try await notices(of: nil, limit: limit, reader)
      case (_, .watch(let id)): try await notices(of: id, limit: limit, reader)
      case (_, .feed(let feed)): try await changes(of: feed, limit: limit, now: now, reader)
      }
    return NoticeFeed(
      title: title, name: name, identity: try await fetchIdentity(), address: address,
      entries: entries
    ).document(format)
  }

  private func notices(
    of watch: Watch.ID?, limit: Int, _ reader: any FilterTextReader
  ) async throws -> [NoticeFeed.Entry] {
    var entries: [NoticeFeed.Entry] = []
    for notice in try await fetchNotices(of: watch, limit: limit) {
      let offer: UserOffer? = if let ref = notice.offer { try await findOffer(ref) } else { nil }
      // The sentence stays as it was when the user was told.
      let sentence = notice.sentence(reader, at: nil)
      entries.append(
        NoticeFeed.Entry(
          id: "notice-\(notice.id)", title: "\(notice.name) \(sentence)",
          text: Self.text(of: offer, hasTerms: true, notice.watchText), link: offer?.url,
          at: notice.at))
    }
    return entries
  }

  private func changes(
    of feed: String, limit: Int, now: Date, _ reader: any FilterTextReader
  ) async throws -> [NoticeFeed.Entry] {
    let kinds = Set(OfferChange.Kind.allCases).subtracting([.first, .expiring])
    let query = ChangeQuery(kinds: kinds, feed: feed, limit: limit, now: now)
    return try await fetchChanges(query).changes.sorted { ($0.changeID ?? 0) > ($1.changeID ?? 0) }
      .compactMap { change in
        guard let offer = change.offer else { return nil }
        let notice = Notice(
          id: 0, at: change.at, feed: feed, offer: offer.ref, name: offer.name,
          reason: .favorite(
            change.kind, old: change.oldReward,
            new: change.kind == .new ? change.newReward ?? change.reward : change.newReward,
            fields: change.fields, texts: change.texts))
        // Numbers of changes differ after a migration to another database.
        return NoticeFeed.Entry(
          id: "change-\(offer.ref)-\(change.kind.rawValue)-\(change.at.storedSeconds)",
          title: "\(offer.name) \(notice.sentence(reader, at: nil))",
          text: Self.text(of: offer, hasTerms: true), link: offer.url, at: change.at)
      }
  }

  /// The ends of offers, the first one first. An offer of several lists is one entry.
  private func ends(
    of subject: FeedAddress.Subject, limit: Int, now: Date, _ reader: any FilterTextReader
  ) async throws -> [NoticeFeed.Entry] {
    var selections: [Selection] = []
    func add(_ watch: Watch) throws {
      selections.append(
        try SelectionText(parsing: watch.selection).selection(at: now, reader))
    }
    switch subject {
    case .news:
      var favorites = Selection()
      favorites.favoritesOnly = true
      selections.append(favorites)
      for watch in try await fetchWatches(reader) where watch.pausedAt == nil { try add(watch) }
    case .watch(let id): try add(try await fetchWatch(id, reader))
    case .feed(let name):
      var all = Selection()
      all.feed = name
      selections.append(all)
    }
    var query = OfferQuery(now: now)
    query.sort = .expiry
    query.limit = limit
    query.pricedFeeds = Set(
      try await fetchPresentations().lazy.filter { $0.value.hasPrices }.map(\.key))
    var known: Set<OfferRef> = []
    var offers: [UserOffer] = []
    for selection in selections {
      query.selection = selection
      let range = now...Date.distantFuture
      query.selection.expiring = selection.expiring.map { $0.clamped(to: range) } ?? range
      for offer in try await selected(by: query, isOfMany: subject == .news)
      where !offer.offer.isGone && known.insert(offer.ref).inserted { offers.append(offer) }
    }
    let ends = offers.compactMap { offer in offer.expiresAt.map { (offer, $0) } }
      .sorted { ($0.1, $0.0.ref) < ($1.1, $1.0.ref) }
    return ends.prefix(limit).map { offer, end in
      NoticeFeed.Entry(
        id: "end-\(offer.ref)", title: "\(offer.name) ends",
        text: Self.text(of: offer, hasTerms: false), link: offer.url, at: end,
        changedAt: offer.offer.changedAt)
    }
  }

  /// The offers of a list. One of many, which is of a feed that was removed, has none.
  private func selected(
    by query: OfferQuery, isOfMany: Bool
  ) async throws(OffersError) -> [UserOffer] {
    do {
      return try await fetchOffers(query)
    } catch {
      if isOfMany, error.code == .notFound { return [] }
      throw error
    }
  }

  private static func text(
    of offer: UserOffer?, hasTerms: Bool, _ source: String? = nil
  ) -> String {
    [offer?.reward?.text, offer?.retailer, hasTerms ? offer?.terms : nil, source].compactMap(\.self)
      .joined(separator: ", ")
  }
}
