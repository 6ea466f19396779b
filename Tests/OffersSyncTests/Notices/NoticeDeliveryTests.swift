import Foundation
import OffersCore
import OffersFeeds
import OffersStore
import OffersTestSupport
import TestStores
import Testing

@testable import OffersSync

@Suite("Deliveries over channels")
struct NoticeDeliveryTests {
  private typealias Sample = ChannelSample

  private static let reward = Reward(
    text: "$3.00", value: .amount(minorUnits: 300, currency: "USD"))

  /// A store with a channel of Gotify, and three offers of which a watch has to tell.
  private static func store() async throws -> OffersDatabase {
    let store = try await OffersDatabase.inMemory(definitions: nil)
    let reader = FilterTextParser()
    _ = try await store.addChannel(
      named: "desk",
      settings: ChannelSettings(
        kind: "gotify", words: ["https://push.example"], options: ["token": "A.b"]
      ).json, quietHours: nil)
    _ = try await store.putWatch(
      WatchDraft(name: "Morning", selection: "coffee", reader), now: Sample.now - 60, reader)
    try await store.sync(
      (1...3).map { FeedOffer("\($0)", name: "Coffee \($0)", reward: Self.reward) },
      at: Int(Sample.now.timeIntervalSince1970), telling: reader)
    return store
  }

  private static func run(
    _ store: OffersDatabase, _ transport: Sample.Transport
  ) async throws -> NoticeDelivery.Summary {
    try await NoticeDelivery(store, Sample.tools(transport), FilterTextParser()) { Sample.now }
      .run()
  }

  @Test("a message that is too large for its receiver is sent in a short form")
  func short() async throws {
    let store = try await Self.store()
    let transport = Sample.Transport { request in
      let isLarge = request.body?.count ?? 0 > 400
      return TransportResponse(status: isLarge ? 413 : 200, headers: [], bytes: [])
    }
    let summary = try await Self.run(store, transport)
    #expect(summary.deliveries.map(\.noticeCount) == [3] && summary.failures.isEmpty)
    #expect(try await store.countDeliveries(.delivered) == 3)
    let body = String(decoding: transport.requests.last?.body ?? [], as: UTF8.self)
    #expect(transport.requests.count == 2)
    #expect(body.contains("Coffee 1 is a new match: $3.00\\nWatch: Morning"))
    #expect(body.contains("and 2 more: offers notices"))
  }

  @Test("notices that a receiver refuses in both forms are lost, and the summary says so")
  func refused() async throws {
    let store = try await Self.store()
    let summary = try await Self.run(store, Sample.Transport(413))
    #expect(summary.deliveredCount == 0)
    #expect(summary.failures.map(\.lostCount) == [3])
    #expect(summary.failures.first?.reason == "push.example answered 413.")
    #expect(try await store.countDeliveries(.lost) == 3)
    #expect(
      try await store.fetchChannel(named: "desk").lastError == "push.example answered 413.")
  }
}
