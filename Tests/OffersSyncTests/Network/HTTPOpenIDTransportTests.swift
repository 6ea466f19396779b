import OffersCore
import Synchronization
import Testing

@testable import OffersSync

@Suite("Requests to an OpenID provider")
struct HTTPOpenIDTransportTests {
  /// Answers every request alike, and notes them.
  private final class Scripted: HTTPTransport {
    let sent = Mutex<[TransportRequest]>([])
    private let answer: @Sendable () throws -> TransportResponse

    init(_ answer: @escaping @Sendable () throws -> TransportResponse) { self.answer = answer }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      sent.withLock { $0.append(request) }
      return try answer()
    }
  }

  private static func client(
    _ issuer: String = "https://login.example/o", allowsPrivateNetwork: Bool = false,
    _ answer: @escaping @Sendable () throws -> TransportResponse = {
      TransportResponse(status: 200, bytes: Array("{}".utf8))
    }
  ) throws -> (HTTPOpenIDTransport, Scripted) {
    let transport = Scripted(answer)
    return (
      try HTTPOpenIDTransport(
        transport: transport, issuer: issuer, allowsPrivateNetwork: allowsPrivateNetwork), transport
    )
  }

  @Test("a document is requested by GET, and a form is sent by POST")
  func methods() async throws {
    let (client, transport) = try Self.client()
    let answer = try await client.pull("https://login.example/keys")
    #expect(answer == OpenIDResponse(status: 200, body: Array("{}".utf8)))
    _ = try await client.post(
      "a=b", to: "https://login.example/token", authorization: "Basic eA==")
    let sent = transport.sent.withLock { $0 }
    #expect(sent[0].body == nil)
    #expect(sent[0].headers.first(name: "authorization") == nil)
    #expect(sent[1].body == Array("a=b".utf8))
    #expect(sent[1].headers.first(name: "authorization") == "Basic eA==")
    #expect(
      sent[1].headers.first(name: "content-type") == "application/x-www-form-urlencoded")
    #expect(sent.allSatisfy { $0.headers.first(name: "accept-encoding") == "identity" })
  }

  @Test("a redirect is an answer, and is not followed")
  func redirect() async throws {
    let (client, transport) = try Self.client {
      TransportResponse(
        status: 307, headers: [HeaderField("location", "https://evil.example")], bytes: [])
    }
    let answer = try await client.post(
      "code=secret", to: "https://login.example/token", authorization: nil)
    #expect(answer.status == 307)
    #expect(transport.sent.withLock { $0.count } == 1)
  }

  @Test(
    "only the issuer's own server may be in a private network, and http is for this machine only")
  func hosts() async throws {
    let (inner, _) = try Self.client("https://10.0.0.5:8443/realm")
    _ = try await inner.pull("https://10.0.0.5:8443/keys")
    for url in [
      "https://10.0.0.6/keys", "https://10.0.0.5/keys", "https://router/keys", "not a URL",
      "http://10.0.0.5:8443/keys", "http://login.example/keys",
    ] {
      let error = await #expect(throws: OffersError.self) { try await inner.pull(url) }
      #expect(error?.code == .sourceFailed, "\(url)")
    }
    let (lenient, _) = try Self.client(allowsPrivateNetwork: true)
    _ = try await lenient.pull("https://10.0.0.6/keys")
    let (own, _) = try Self.client("http://127.0.0.1:8000/o")
    _ = try await own.pull("http://127.0.0.1:8000/o/keys")
  }

  @Test("an answer over 256 KiB and a compressed one are refused")
  func bodies() async throws {
    for (count, coding) in [(256 << 10, nil), ((256 << 10) + 1, nil), (1, "gzip")] {
      let (client, _) = try Self.client {
        TransportResponse(
          status: 200, headers: coding.map { [HeaderField("content-encoding", $0)] } ?? [],
          bytes: Array(repeating: 0x20, count: count))
      }
      let isRefused = coding != nil || count > 256 << 10
      do {
        let answer = try await client.pull("https://login.example/keys")
        #expect(!isRefused && answer.body.count == count)
      } catch let error as OffersError {
        #expect(isRefused && error.code == .sourceFailed)
      }
    }
  }

  @Test("a failed connection is reported by the name of the host, without the address")
  func failures() async throws {
    let (client, _) = try Self.client { throw TransportFailure(.untrusted, cause: "chain") }
    let error = await #expect(throws: OffersError.self) {
      try await client.post(
        "code=secret", to: "https://login.example/token?x=1", authorization: nil)
    }
    #expect(error?.code == .sourceFailed)
    #expect(error?.message.hasPrefix("login.example cannot be trusted") == true)
    #expect(error?.cause == "chain")
  }
}
