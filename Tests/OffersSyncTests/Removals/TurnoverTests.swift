import Foundation
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersSync

/// Ten feeds that turn over for 60 days, or 12 in a short run, synced every six hours from servers that
/// fail in all usual ways, against a model of what the feeds really have.
@Suite("Feeds that turn over")
struct TurnoverTests {
  private static let dayCount = TestSize.isLong ? 60 : 12
  /// The share of the offers that are replaced each day, in percent, by feed.
  private static let churns = [5, 10, 15, 20, 30, 40, 50, 60, 80, 100]

  /// How a server fails on a day.
  private enum Fault: CaseIterable {
    case unavailable, empty, portal, truncated
    /// A document of another feed, at one of the syncs only.
    case foreign
  }

  /// One feed: what its server has, and what a reader starred.
  private struct Shop {
    let name: String
    let churn: Int
    let hasTags: Bool
    var ids: [Int]
    var nextID: Int
    var starred: Set<Int> = []
    var random: SeededGenerator

    init(_ number: Int) {
      name = "shop\(number)"
      churn = churns[number]
      hasTags = number.isMultiple(of: 2)
      random = SeededGenerator(number: number)
      let count = [9, 40, 25, 60, 12, 30, 50, 15, 35, 45][number]
      ids = Array(0..<count)
      nextID = count
    }

    mutating func turnOver() {
      let count = max(1, ids.count * churn / 100)
      ids.shuffle(using: &random)
      ids.removeFirst(count)
      ids += nextID..<nextID + count
      nextID += count
    }

    var document: String { Self.document(ids, host: "\(name).example") }

    static func document(_ ids: [Int], host: String) -> String {
      let records = ids.sorted().map {
        #"{"id":"\#($0)","name":"Tea \#($0)","link":"https://\#(host)/\#($0)"}"#
      }
      return "[\(records.joined(separator: ",\n"))]"
    }

    /// The answer of the server.
    func answer(_ known: String?, _ fault: Fault?) -> SimulatedAnswer {
      switch fault {
      case .unavailable: return SimulatedAnswer(503)
      case .empty: return SimulatedAnswer(200, [], "[]")
      case .portal: return SimulatedAnswer(200, [], "<html><body>Log in</body></html>")
      case .truncated: return SimulatedAnswer(200, [], String(document.dropLast(20)))
      case .foreign:
        return SimulatedAnswer(200, [], Self.document([900_001, 900_002], host: "other.example"))
      case nil:
        let tag = "\"\(nextID)\""
        if hasTags, known == tag { return SimulatedAnswer(304) }
        return SimulatedAnswer(200, hasTags ? [("ETag", tag)] : [], document)
      }
    }
  }

  private static var yaml: String {
    "feeds:\n"
      + churns.indices.map {
        """
          shop\($0):
            source: https://shop\($0).example/offers.json
            every: 6h
            items: ""
            id: id
            fields: {name: name, link: link}

        """
      }.joined()
  }

  /// The fault of a feed on a day: about one day in six is bad, never two in a row.
  private static func fault(_ feed: Int, _ day: Int) -> Fault? {
    guard day > 1, (day + feed).isMultiple(of: 6) else { return nil }
    return Fault.allCases[((day + feed) / 6 + feed) % Fault.allCases.count]
  }

  @Test(
    "each day the list has what the feeds have, no broken document removes any, no star is lost")
  func follows() async throws {
    let home = try await SyncedFolder()
    let web = SimulatedWeb()
    let configuration = try FeedConfiguration(yaml: Self.yaml, name: "feeds.yaml")
    var shops = Self.churns.indices.map { Shop($0) }
    var lists: [String: Set<Int>] = [:]
    for day in 0..<Self.dayCount {
      if day > 0 { for feed in shops.indices { shops[feed].turnOver() } }
      for hour in [0, 6, 12, 18] {
        let faults = shops.indices.map { feed in
          Self.fault(feed, day).flatMap { $0 != .foreign || hour == 12 ? $0 : nil }
        }
        web.answer { [shops] request in
          let host = request.url.host() ?? ""
          guard let feed = shops.firstIndex(where: { "\($0.name).example" == host }) else {
            return nil
          }
          return shops[feed].answer(request.headers.first(name: "if-none-match"), faults[feed])
        }
        let now = Date(timeIntervalSince1970: 1_767_225_600 + Double(day * 24 + hour) * 3600)
        let engine = SyncEngine(
          store: home.database, configuration: configuration, now: { now }, jitter: { 1 },
          transport: web)
        try await engine.run(shops.map(\.name)) { _, _ in }
        let found = try await Self.lists(home)
        for (feed, shop) in shops.enumerated() {
          let list = found[shop.name] ?? []
          let place = Comment("\(shop.name), \(shop.churn) %, day \(day), \(hour) h")
          if faults[feed] != nil {
            #expect(list == lists[shop.name], place)
          } else {
            #expect(list.isSuperset(of: shop.ids), place)
            if hour >= 6 { #expect(list == Set(shop.ids), place) }
          }
        }
        lists = found
      }
      var stars: [String] = []
      for feed in shops.indices {
        guard let id = lists[shops[feed].name]?.sorted().randomElement(using: &shops[feed].random)
        else { continue }
        shops[feed].starred.insert(id)
        stars.append("\(shops[feed].name):\(id)")
      }
      _ = try await home.database.setFavorites(named: stars, to: true)
    }
    let favorites = try await home.database.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(
      Set(favorites.map(\.ref.description))
        == Set(shops.flatMap { shop in shop.starred.map { "\(shop.name):\($0)" } }))
  }

  /// The ids in the list of each feed.
  private static func lists(_ home: SyncedFolder) async throws -> [String: Set<Int>] {
    var lists: [String: Set<Int>] = [:]
    for offer in try await home.database.fetchOffers(OfferQuery()) where !offer.isGone {
      if let id = Int(offer.ref.offerID) { lists[offer.ref.feed, default: []].insert(id) }
    }
    return lists
  }
}
