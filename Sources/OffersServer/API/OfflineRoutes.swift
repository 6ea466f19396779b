import Foundation
import Hummingbird
import OffersCore

/// The routes by which browsers store the current offers, to show them while the server cannot be
/// reached.
///
/// A browser requests the list of all offers with a hash of each, compares it with the offers that
/// it has stored, and requests those that differ. So it receives few offers after a sync that
/// changed few, whatever it missed before, and the server remembers nothing about it.
struct OfflineRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  /// The most offers that a browser stores, and the most bytes of them: the newest ones.
  static let offerLimit = 5000
  static let bytes = 8_000_000
  /// The most offers in one answer.
  private static let answerLimit = 100
  /// The part of an offer's history that browsers store.
  private static let historyBounds = HistoryQuery(limit: 100, maximumBytes: 16 << 10)
  /// The number of offers that are read from the store at a time.
  private static let readLimit = 500

  private var source: PageSource { PageSource(content: content) }

  func add(to router: Router<ServedContext>) {
    answers.read("/api/v1/offline", on: router) { _, context in
      try await of(context).list(for: context.visitor)
    }
    answers.read("/api/v1/offline/offers", ["refs"], on: router) { parameters, context in
      try await of(context).offers(try Self.refs(try parameters.fetchText("refs")))
    }
  }

  private func list(for visitor: Visitor?) async throws -> Answer {
    let feeds = try await source.fetchFeeds()
    let titles = try await source.fetchTitles(of: feeds)
    let frames = try await OfflineFrame.all(source, feeds)
    let held = try await fetchHeld(titles)
    var answer = Answer.json { json in
      json.member("offers", each: held) { json, offer in
        json.array { json in
          json.value(offer.ref)
          json.value(offer.hash)
        }
      }
      json.member("titles", objects: titles.sorted { $0.key < $1.key }) { json, title in
        json.member("feed", title.key)
        json.member("title", title.value)
      }
      json.member("may_sync", visitor.map { $0.right >= .sync } ?? true)
      json.member("has_household", visitor?.hasHousehold ?? false)
      json.member("sidebar", each: PageFields.sidebar(feeds)) { $1.write(to: &$0) }
      json.member("pages", each: frames) { $1.write(to: &$0) }
    }
    // The definitions of feeds may change without a write to the database.
    answer.lifetime = .seconds(10)
    return answer
  }

  /// The references and the hashes of the offers that a browser stores, in the order of the feeds.
  private func fetchHeld(_ titles: [String: String]) async throws -> [(ref: String, hash: String)] {
    var held: [(seen: Date, ref: String, hash: String)] = []
    var room = Self.bytes
    // Expired offers come behind all others, and are the first for which there is no room.
    var query = OfferQuery(
      includesExpired: true, now: content.now(), sort: .newest, limit: Self.readLimit)
    let settings = try await pageSettings(titles)
    reading: while true {
      let page = try await content.store.fetchOfferPage(
        query, maximumBytes: Answer.pageBytes)
      for offer in page.offers {
        let record = OfflineOffer(offer.offer, settings(offer.ref.feed))
        room -= record.bytes
        if room < 0 || held.count == Self.offerLimit { break reading }
        held.append((offer.firstSeenAt, offer.ref.description, record.hash))
      }
      guard page.hasMore, let last = page.offers.last else { break }
      query.after = OfferPosition(of: last.offer, in: query)
    }
    // The newest offers come first, and those of one sync in the order of their feed. That order is
    // the order in which syncs found the offers, so that the sorting must be stable.
    return held.enumerated()
      .sorted { ($0.element.seen, $0.offset) < ($1.element.seen, $1.offset) }
      .map { ($0.element.ref, $0.element.hash) }
  }

  private func offers(_ refs: [OfferRef]) async throws -> Answer {
    let titles = try await source.fetchTitles()
    var json = JSONWriter()
    try await write(refs, titles, to: &json)
    var answer = Answer.json(json)
    // Each browser requests other offers, and once.
    answer.lifetime = .never
    return answer
  }

  private func write(
    _ refs: [OfferRef], _ titles: [String: String], to json: inout JSONWriter
  ) async throws {
    let settings = try await pageSettings(titles)
    var offers: [Offer] = []
    var found: [(OfflineOffer, [RewardPoint])] = []
    var answered = 0
    var bytes = 0
    while answered < refs.count, bytes < Answer.pageBytes {
      let ref = refs[answered]
      answered += 1
      guard let offer = try await content.store.findOffer(ref) else { continue }
      let record = OfflineOffer(offer.offer, settings(ref.feed))
      let points = try await content.store.fetchHistory(
        named: ref.description, Self.historyBounds
      ).points
      bytes += record.bytes
      offers.append(offer.offer)
      found.append((record, points))
    }
    let news = try await GoodNewsLabels(of: offers, in: source.store, at: source.now)
    json.object { json in
      json.member("offers", each: found) { $1.0.write(to: &$0, $1.1, news) }
      json.member("answered", answered)
    }
  }

  /// The settings of the pages of offers, by feed.
  private func pageSettings(
    _ titles: [String: String]
  ) async throws -> (String) -> OfferPage.Settings {
    let shown = try await source.fetchPresentations()
    let now = content.now()
    return { feed in
      OfferPage.Settings(
        presentation: shown[feed], feedTitle: titles[feed] ?? feed, maps: content.maps, now: now)
    }
  }

  /// Parses a comma-separated list of references, each percent-encoded, so that a reference may
  /// contain a comma.
  private static func refs(_ text: String) throws -> [OfferRef] {
    let parts = text.split(scalar: ",", omittingEmptySubsequences: false)
    guard parts.count <= answerLimit else {
      throw Problem(
        .badRequest, "The parameter “refs” names \(parts.count) offers.",
        hint: "Name at most \(answerLimit).")
    }
    return try parts.map { part in
      guard let name = PercentCode.decode(part), let ref = try? OfferRef(named: name) else {
        throw Problem(
          .badRequest, "“\(part.prefix(80))” in the parameter “refs” is no reference.",
          hint: "Write references such as ibotta:110579, separated by commas.")
      }
      return ref
    }
  }
}
