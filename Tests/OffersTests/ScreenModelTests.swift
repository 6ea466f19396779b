import Foundation
import Offers
import OffersTestSupport
import Testing

/// A screen's model, as an app with `import Offers` alone writes it.
@MainActor private final class FeedsModel {
  private(set) var counts: [String: Int] = [:]
  private(set) var errors: [String: OffersError] = [:]
  private(set) var order: [String] = []

  func refresh(_ feeds: [String], with engine: SyncEngine) async throws {
    try await engine.sync(feeds) { feed, result in
      order.append(feed)
      switch result {
      case .success(let run): counts[feed] = run.counts.new
      case .failure(let error): errors[feed] = error
      }
    }
  }
}

@Suite("A screen model over a database")
struct ScreenModelTests {
  private static let definitions = """
    feeds:
      teas: {source: "https://tea.example/1.json", format: json, id: id, fields: {name: name}}
      jams: {source: "https://jam.example/1.json", format: json, id: id, fields: {name: name}}
    """
  private static let feed = #"[{"id":"1","name":"Assam"},{"id":"2","name":"Sencha"}]"#

  private let configuration: FeedConfiguration
  private let database: OffersDatabase

  init() async throws {
    configuration = try FeedConfiguration(
      yaml: Self.definitions, name: "feeds.yaml", includesShipped: false)
    database = try await OffersDatabase.inMemory(configuration: configuration)
  }

  private func engine() -> SyncEngine {
    SyncEngine(
      store: database,
      transport: CannedTransport([
        "https://tea.example/1.json": .response(200, [], Self.feed),
        "https://jam.example/1.json": .response(500),
      ]), configuration: configuration)
  }

  @Test("on the main actor gets the run or the error of each feed in a plain closure")
  @MainActor
  func syncsOnMainActor() async throws {
    let model = FeedsModel()
    try await model.refresh(["teas", "jams", "pies"], with: engine())
    #expect(model.order.sorted() == ["jams", "pies", "teas"])
    #expect(model.counts == ["teas": 2])
    #expect(model.errors.mapValues(\.code) == ["jams": .sourceFailed, "pies": .notFound])
  }
}
