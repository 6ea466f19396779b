import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("The check of frames in the API")
struct FramingRoutesTests {
  @Test("the slow sites of one viewer do not keep back the checks of another")
  func slowSites() async throws {
    let home = try await ServedHome(feeds: [])
    let (clock, door) = (SteppedClock(), Door())
    let client = TestClient(
      try home.server(
        clock: clock,
        framing: { url, _ in
          if url.hasPrefix("https://slow") { await door.pass() }
          return true
        }
      ).responder())
    func viewer(_ name: String) async throws -> TestClient {
      client.by(try await home.cookie(of: try await home.addUser(name, .viewer), at: clock.now))
    }
    let (max, vera) = (try await viewer("Max"), try await viewer("Vera"))
    let slow = (0..<20).map { number in
      Task {
        try await max.write(.post, "framing", #"{"url":"https://slow\#(number).example/"}"#)
      }
    }
    // One is checked, eight wait, and there is no room for the others.
    var statuses: [Int] = []
    await Door.wait { door.inside == 1 }
    let answer = try await vera.write(.post, "framing", #"{"url":"https://fast.example/"}"#)
    #expect(answer.text == #"{"refused":true,"answers":true}"#)
    door.open()
    for task in slow { statuses.append(try await task.value.status) }
    #expect(door.most == 1)
    #expect(statuses.count { $0 == 200 } >= 9)
    #expect(statuses.allSatisfy { [200, 503].contains($0) })
  }
}
