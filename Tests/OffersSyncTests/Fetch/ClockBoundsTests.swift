import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("Times that were stored by a clock that was ahead")
struct ClockBoundsTests {
  private static let url = "https://e.com/1.png"
  private static let png = TinyImage.png()

  private static func answer() -> SimulatedAnswer {
    var answer = SimulatedAnswer(200)
    answer.bytes = png
    return answer
  }

  private static func loader(_ home: FetchHome) -> ImageLoader {
    ImageLoader(images: home.database, transport: home.web) { home.now }
  }

  @Test("an image that was fetched then is asked for again", arguments: [0.1, 20, 401])
  func images(days: Double) async throws {
    let home = try await FetchHome()
    home.web.answer { _ in Self.answer() }
    home.wait(days: days)
    _ = try await Self.loader(home).image(at: Self.url)
    home.wait(days: -days)
    _ = try await Self.loader(home).image(at: Self.url)
    #expect(home.web.requests.count == 2)
    _ = try await Self.loader(home).image(at: Self.url)
    #expect(home.web.requests.count == 2)
  }

  @Test("a failed image is asked for again")
  func failures() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(404) }
    home.wait(days: 401)
    await #expect(throws: OffersError.self) { try await Self.loader(home).image(at: Self.url) }
    home.wait(days: -401)
    home.web.answer { _ in Self.answer() }
    #expect(try await Self.loader(home).image(at: Self.url).bytes == Self.png)
  }

  @Test("a feed that was synced or failed then is due", arguments: [true, false])
  func schedules(works: Bool) async throws {
    for days in [2.0, 8, 401] {
      let home = try await FetchHome()
      home.web.answer { _ in SimulatedAnswer(200, [], FeedText.feed(1...3)) }
      _ = try await home.sync(from: FetchHome.url)
      home.web.answer { _ in works ? SimulatedAnswer(200, [], FeedText.feed(1...4)) : nil }
      home.wait(days: days)
      #expect(try await home.sync().outcome == (works ? .updated : .failed))
      let count = home.web.requests.count
      #expect(try await home.sync(.due).outcome == .skipped)
      #expect(home.web.requests.count == count)
      home.wait(days: -days)
      _ = try await home.sync(.due)
      #expect(home.web.requests.count > count, "\(days) days")
    }
  }

  @Test("a pause that a server requested then does not end the wait for a failing server")
  func pauses() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(200, [], FeedText.feed(1...3)) }
    _ = try await home.sync(from: FetchHome.url)
    home.web.answer { _ in SimulatedAnswer(503, [("Retry-After", "3600")]) }
    home.wait(days: 401)
    _ = try await home.sync()
    home.wait(days: -401)
    home.wait(hours: 30)
    _ = try await home.sync(.due)
    let count = home.web.requests.count
    #expect(count == 3)
    #expect(try await home.sync(.due).outcome == .skipped)
    #expect(home.web.requests.count == count)
  }
}
