import OffersCore
import Testing

@testable import OffersSync

@Suite("Requests that are repeated")
struct CachingTransportTests {
  private static func read(
    _ transport: some HTTPTransport, _ request: TransportRequest, pieces: Int = .max
  ) async throws -> (status: Int, bytes: [UInt8]) {
    let response = try await transport.send(request)
    var bytes: [UInt8] = []
    var count = 0
    for try await piece in response.body {
      count += 1
      bytes += piece
      if count == pieces { break }
    }
    return (response.status, bytes)
  }

  @Test("the same request gets the first response, which is loaded once")
  func repeats() async throws {
    let web = SimulatedWeb { _ in SimulatedAnswer(200, [("ETag", "\"1\"")], "tea") }
    let transport = CachingTransport(web)
    let request = try TransportRequest(url: "https://shop.example/a")
    for _ in 1...3 {
      #expect(try await Self.read(transport, request) == (200, Array("tea".utf8)))
      #expect(try await transport.send(request).headers == [HeaderField("ETag", "\"1\"")])
    }
    #expect(web.requests.count == 1)
    let other = try TransportRequest(url: "https://shop.example/b")
    _ = try await Self.read(transport, other)
    #expect(web.requests.count == 2)
  }

  @Test("an error, and a response that was not read to its end, are asked for again")
  func asksAgain() async throws {
    let web = SimulatedWeb { _ in SimulatedAnswer(503) }
    let transport = CachingTransport(web)
    let request = try TransportRequest(url: "https://shop.example/a")
    #expect(try await Self.read(transport, request).status == 503)
    web.answer { _ in SimulatedAnswer(200, [], "tea") }
    #expect(try await Self.read(transport, request, pieces: 1).status == 200)
    #expect(try await Self.read(transport, request).bytes == Array("tea".utf8))
    #expect(web.requests.count == 3)
  }
}
