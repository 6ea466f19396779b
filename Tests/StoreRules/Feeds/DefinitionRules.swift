import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Definitions of feeds in the database")
struct DefinitionRules {
  private static let text = "feeds:\n  tea:\n    # Mine\n    id: id\n    fields: {name: name}\n"

  /// Stores a definition of the feed `tea`.
  private static func define(
    _ store: OffersDatabase,
    _ change: @escaping @Sendable (inout StoredDefinition) -> Void = {
      $0.text = text
    }
  ) async throws -> Bool {
    try await store.changeDefinition(
      of: "tea", source: "https://tea.example/", forgettingSource: true, change)
  }

  @Test(
    "a definition is kept as it is written, for all who have the store open",
    arguments: StoreKind.allCases)
  func keeps(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let store = opened.store
    let other = try await opened.openAgain()
    #expect(try await store.fetchDefinitions() == [])
    #expect(try await Self.define(store))
    #expect(try await other.fetchDefinitions() == [StoredDefinition(feed: "tea", text: Self.text)])
    // The feed is known, and not subscribed.
    #expect(try await store.fetchFeeds() == [])
    #expect(try await store.fetchFormerFeeds().map(\.name) == ["tea"])
    #expect(try await store.findSource(of: "tea") == "https://tea.example/")
    // The same again changes nothing.
    #expect(try await Self.define(store) == false)
    // Feeds come in the order in which they were added.
    try await store.changeDefinition(of: "jam", source: "x", forgettingSource: false) {
      $0.everySeconds = 7200
      $0.currency = "EUR"
    }
    #expect(
      try await store.fetchDefinitions() == [
        StoredDefinition(feed: "tea", text: Self.text),
        StoredDefinition(feed: "jam", everySeconds: 7200, currency: "EUR"),
      ])
  }

  @Test("a change that throws changes nothing", arguments: StoreKind.allCases)
  func isWhole(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let error = await refusal {
      try await store.changeDefinition(of: "tea", source: "x", forgettingSource: true) {
        $0.text = Self.text
        throw OffersError(.invalidRequest, "No.")
      }
    }
    #expect(error?.message == "No.")
    #expect(try await store.fetchDefinitions() == [])
    #expect(try await store.fetchFormerFeeds() == [])
  }

  @Test(
    "of two programs that add a feed at the same time, one is told of the other's",
    arguments: StoreKind.allCases)
  func isAddedOnce(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let stores = [opened.store, try await opened.openAgain()]
    let added = try await withThrowingTaskGroup(of: Bool.self) { group in
      for (number, store) in stores.enumerated() {
        group.addTask {
          do {
            return try await store.changeDefinition(
              of: "tea", source: "x", forgettingSource: true
            ) { stored in
              if stored.text != nil { throw OffersError(.invalidRequest, "There is one.") }
              stored.text = "number \(number)"
            }
          } catch let error as OffersError where error.message == "There is one." {
            return false
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(added.count { $0 } == 1)
    #expect(try await opened.store.fetchDefinitions().count == 1)
  }

  @Test(
    "a definition is removed with the subscription and the source of its feed, in one transaction",
    arguments: StoreKind.allCases)
  func removes(kind: StoreKind) async throws {
    let store = try await kind.open().store
    #expect(
      try await store.removeDefinition(
        of: "tea", forgettingSource: true, keepingSettings: false) == (false, false))
    _ = try await Self.define(store) {
      $0.text = Self.text
      $0.everySeconds = 3600
    }
    try await store.sync([FeedOffer("1")], feed: "tea", at: Int(Date().timeIntervalSince1970) + 9)
    #expect(try await store.fetchSubscribedFeeds() == ["tea"])
    #expect(
      try await store.removeDefinition(
        of: "tea", forgettingSource: true, keepingSettings: true) == (true, true))
    #expect(try await store.fetchSubscribedFeeds() == [])
    #expect(
      try await store.fetchDefinitions() == [StoredDefinition(feed: "tea", everySeconds: 3600)])
    #expect(try await store.findSyncState(of: "tea")?.source == nil)
    #expect(
      try await store.removeDefinition(
        of: "tea", forgettingSource: false, keepingSettings: false) == (false, false))
    #expect(try await store.fetchDefinitions() == [])
    #expect(try await store.ids() == ["1"])
  }

  @Test(
    "an export has definitions, which an import takes only from a document that the user accepts",
    arguments: StoreKind.allCases)
  func travels(kind: StoreKind) async throws {
    let store = try await kind.open().store
    _ = try await Self.define(store) {
      $0.text = Self.text
      $0.everySeconds = 3600
      $0.currency = "EUR"
    }
    try await store.sync([FeedOffer("1")], feed: "tea", at: Int(Date().timeIntervalSince1970) + 9)
    try await store.setFavorites(named: ["1"], to: true)
    let kept = try await store.exported()
    let definition = try await store.fetchDefinitions()
    #expect(definition.first?.currency == "EUR")

    let wary = try await kind.open().store
    #expect(try await wary.take(kept).leftOutDefinitions == ["tea"])
    #expect(try await wary.fetchDefinitions() == [])
    // The same document may be accepted later.
    let summary = try await wary.importRecords(
      from: kept, feeds: kept.feeds, acceptsDefinitions: true)
    #expect(summary.leftOutDefinitions == [])
    #expect(try await wary.fetchDefinitions() == definition)

    let new = try await kind.open().store
    _ = try await new.importRecords(from: kept, feeds: kept.feeds, acceptsDefinitions: true)
    #expect(try await new.exported().text() == kept.text())
    // A definition that is here stays.
    _ = try await Self.define(new) { $0.text = "mine" }
    _ = try await new.importRecords(from: kept, feeds: kept.feeds, acceptsDefinitions: true)
    #expect(try await new.fetchDefinitions().map(\.text) == ["mine"])
    // Favorites are exported to be given away, and a definition may have a secret.
    #expect(try await !store.exported(favoritesOnly: true).text().contains("Mine"))
  }
}
