import Foundation
import OffersCore
import OffersFeeds
import OffersSQLite
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSync

/// Random sequences of syncs and favorites against a simple model: 50 prefixes, each continued in ten
/// ways, or 1000 in a long run. The sequences of one test share a database, each with its own feed, and
/// take their steps in turn; each continuation has a copy of that database.
@Suite("Sequences of syncs")
struct SequenceTests {
  private static let batchCount = TestSize.isLong ? 10 : 1
  private static let beginningsPerBatch = TestSize.isLong ? 100 : 50
  private static let endCount = 10
  private static let beginning = 0..<2
  private static let longest = 6
  /// So that offers that were missing three syncs ago are removed.
  private static let hoursPerStep = 2

  /// One feed: the content of its server and the expected content of the database.
  private struct Sequence {
    /// Tells the sequence apart from the others of the test.
    private(set) var number: Int
    let definition: FeedDefinition
    private(set) var stepCount = beginning.upperBound
    var server: ChangingFeed
    var expected = ExpectedFeed()

    init(number: Int, _ template: FeedDefinition) {
      self.number = number
      server = ChangingFeed(number: number)
      var definition = template
      definition.name = "feed\(number)"
      definition.source = Template([.literal("https://feed.example/offers.json")])
      self.definition = definition
    }

    /// A copy of the feed that continues independently.
    func goingOn(as end: Int) -> Sequence {
      var other = self
      other.number = 10_000 + number * endCount + end
      other.server.random = SeededGenerator(number: other.number)
      other.stepCount =
        other.server.chance(70) ? 3 : Int.random(in: 4...longest, using: &other.server.random)
      return other
    }
  }

  /// The observable state of a feed.
  private struct View: Equatable {
    var current: [Int: ExpectedOffer] = [:]
    var favorites: [Int: ExpectedOffer] = [:]
    var starred: Set<Int> = []
    var goneFavorites: Set<Int> = []
    var counts: [String: Int] = [:]
    var etag: String?

    init(_ feed: Feed) {
      counts = [
        "current": feed.currentCount, "gone": feed.goneCount, "favorites": feed.favoriteCount,
        "held": feed.fetch.held?.missingCount ?? 0,
      ]
      etag = feed.fetch.etag
    }

    init(_ feed: ExpectedFeed) {
      current = feed.known.filter { feed.current.contains($0.key) }
      favorites = feed.known.filter { feed.favorites.contains($0.key) }
      starred = feed.favorites.intersection(feed.current)
      goneFavorites = feed.favorites.subtracting(feed.current)
      counts = [
        "current": feed.current.count, "gone": feed.known.count - feed.current.count,
        "favorites": feed.favorites.count, "held": feed.missing.count,
      ]
      etag = feed.etag
    }
  }

  @Test(
    "any sequence of syncs and favorites ends in the state of a simple model",
    arguments: 0..<batchCount)
  func agreesWithTheModel(batch: Int) async throws {
    let home = try await SyncedFolder()
    let template = try FeedConfiguration.shipped.fetch("ibotta")
    var beginnings = (0..<Self.beginningsPerBatch).map {
      Sequence(number: batch * Self.beginningsPerBatch + $0, template)
    }
    try await Self.run(&beginnings, Self.beginning, home.database)
    for end in 0..<Self.endCount {
      var sequences = beginnings.map { $0.goingOn(as: end) }
      let copy = try await SyncedFolder(copying: home)
      try await Self.run(
        &sequences, Self.beginning.upperBound..<Self.longest, copy.database)
    }
  }

  /// Runs some steps of all sequences, and checks every feed after each step.
  private static func run(
    _ sequences: inout [Sequence], _ steps: Range<Int>, _ database: OffersDatabase
  ) async throws {
    for step in steps {
      var stars: [Bool: [String]] = [:]
      for place in sequences.indices where step < sequences[place].stepCount {
        try await take(step, of: &sequences[place], database)
        star(&sequences[place], &stars)
      }
      for (isFavorite, names) in stars {
        _ = try await database.setFavorites(named: names, to: isFavorite)
      }
      let found = try await look(database)
      for sequence in sequences {
        let view = found[sequence.definition.name]
        let expected = sequence.expected.isSubscribed ? View(sequence.expected) : nil
        if view == expected { continue }
        try #require(view == expected, "sequence \(sequence.number), step \(step)")
      }
    }
  }

  /// Syncs one feed once, and checks the run.
  private static func take(
    _ step: Int, of sequence: inout Sequence, _ database: OffersDatabase
  ) async throws {
    let document = sequence.server.next()
    let accepts = sequence.server.chance(30)
    let asksWhole = accepts && !sequence.expected.missing.isEmpty
    let etag = asksWhole ? nil : sequence.expected.etag
    let web = SimulatedWeb { answer($0.headers.first(name: "if-none-match"), document) }
    let engine = SyncEngine(
      store: database, configuration: FeedConfiguration(own: [sequence.definition]),
      now: { Date(timeIntervalSince1970: 1_767_225_600 + Double(step * hoursPerStep) * 3600) },
      jitter: { 1 },
      transport: web)
    let run = try await engine.run(
      sequence.definition.name, options: SyncOptions(acceptsRemovals: accepts))
    let result = ExpectedFeed.Result(outcome: run.outcome, counts: run.counts.all)
    let expected = sequence.expected.sync(
      document, accepts: accepts, hour: step * hoursPerStep)
    // Whether the network itself answers is asked elsewhere.
    let asked = web.requests.filter { $0.url.host() == "feed.example" }
      .map { $0.headers.first(name: "if-none-match") }
    if result == expected, asked == [etag] { return }
    try #require(
      result == expected && asked == [etag],
      "sequence \(sequence.number), step \(step): asked by \(asked), got \(document.text)")
  }

  private static func answer(_ known: String?, _ document: ExpectedDocument) -> SimulatedAnswer {
    if document.text == "404" { return SimulatedAnswer(404) }
    if let known, known == document.etag { return SimulatedAnswer(304) }
    return SimulatedAnswer(200, document.etag.map { [("ETag", $0)] } ?? [], document.text)
  }

  /// Occasionally sets or clears a favorite.
  private static func star(_ sequence: inout Sequence, _ stars: inout [Bool: [String]]) {
    guard sequence.server.chance(60), let id = sequence.server.pick(sequence.expected.known.keys)
    else { return }
    let isFavorite = sequence.server.chance(70)
    sequence.expected.star(id, isFavorite)
    stars[isFavorite, default: []].append("\(sequence.definition.name):\(id)")
  }

  /// The observable state of all feeds in the database.
  private static func look(_ database: OffersDatabase) async throws -> [String: View] {
    var views: [String: View] = [:]
    // A new database is subscribed to the feed that ships with a sample.
    for feed in try await database.fetchFeeds() where feed.name != "ibotta" {
      views[feed.name] = View(feed)
    }
    for offer in try await database.fetchOffers(OfferQuery()) where !offer.isGone {
      guard let id = Int(offer.ref.offerID) else { continue }
      views[offer.ref.feed]?.current[id] = ExpectedOffer(offer)
      if offer.isFavorite { views[offer.ref.feed]?.starred.insert(id) }
    }
    for offer in try await database.fetchOffers(OfferQuery(favoritesOnly: true)) {
      guard let id = Int(offer.ref.offerID), offer.isFavorite else { continue }
      views[offer.ref.feed]?.favorites[id] = ExpectedOffer(offer)
      if offer.isGone { views[offer.ref.feed]?.goneFavorites.insert(id) }
    }
    return views
  }
}
