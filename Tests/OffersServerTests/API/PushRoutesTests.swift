import Foundation
import OffersCore
import OffersFeeds
import OffersStore
import OffersSync
import Synchronization
import Testing

@testable import OffersServer

@Suite("Web Push in the API")
struct PushRoutesTests {
  /// A browser with a subscription.
  private struct Browser {
    let endpoint: String
    let key: PushKey
    let secret: [UInt8]

    init(_ endpoint: String = "https://push.example.com/4f1c") throws {
      self.endpoint = endpoint
      key = try .random()
      secret = try RandomBytes.make(16)
    }

    /// The body of the request that subscribes, with other values for some members.
    func body(_ others: [String: String] = [:]) -> String {
      let members = ["endpoint": endpoint, "p256dh": publicKey, "auth": Base64URL.text(of: secret)]
      return JSONWriter.document { json in
        for (name, value) in members.merging(others, uniquingKeysWith: { $1 }) {
          json.member(name, value)
        }
      }
    }

    var publicKey: String { Base64URL.text(of: key.point) }

    /// Decrypts the only record of a message (RFC 8291, section 3.4, and RFC 8188, section 2).
    func read(_ body: [UInt8]) throws -> [String: Any] {
      let (salt, sender) = (Array(body.prefix(16)), Array(body[21..<86]))
      #expect(Array(body[16..<21]) == [0, 0, 0x10, 0, 65])
      let pseudorandom = try HMACKey(secret).code(of: try key.agree(with: sender))
      let input = try HMACKey(pseudorandom).code(
        of: Array("WebPush: info\0".utf8) + key.point + sender + [1])
      let record = HMACKey(try HMACKey(salt).code(of: input))
      func derive(_ info: String, _ count: Int) throws -> [UInt8] {
        Array(try record.code(of: Array("Content-Encoding: \(info)\0".utf8) + [1]).prefix(count))
      }
      let (contentKey, nonce) = (try derive("aes128gcm", 16), try derive("nonce", 12))
      let sealed = Array(body.dropFirst(86))
      // In counter mode, to encrypt again is to decrypt. The tag is that of the text.
      let text = Array(
        try AES128GCM.encrypt(Array(sealed.dropLast(16)), key: contentKey, nonce: nonce)
          .dropLast(16))
      #expect(try AES128GCM.encrypt(text, key: contentKey, nonce: nonce) == sealed)
      #expect(text.last == 2)
      let value = try JSONSerialization.jsonObject(with: Data(text.dropLast()))
      return try #require(value as? [String: Any])
    }
  }

  private static let phone =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1"

  @Test("a browser that subscribes is a channel, whose messages it can decrypt, until it stops")
  func subscription() async throws {
    let home = try await ServedHome()
    let service = PushService()
    let client = try home.client(home.server(pushes: service)).with(.userAgent, Self.phone)
    let browser = try Browser()
    let key = try #require(try await client.get("push").object["public_key"] as? String)
    let added = try await client.write(.post, "push", browser.body())
    #expect(added.text == #"{"channel":"Safari on iPhone"}"#)
    let path = "push?endpoint=\(browser.endpoint)"
    #expect(try await client.get(path).object["channel"] as? String == "Safari on iPhone")
    let tested = try await client.write(.post, "push/test", #"{"endpoint":"\#(browser.endpoint)"}"#)
    #expect(tested.text == #"{"delivered":true,"reason":null}"#)
    let request = try #require(service.sent.withLock { $0 }.first)
    #expect(request.url.absoluteString == browser.endpoint)
    let message = try browser.read(request.body ?? [])
    #expect(message["title"] as? String == "offers can reach you")
    #expect((message["offer"] as? String)?.hasPrefix("ibotta:") == true)
    #expect(request.headers.first(name: "authorization")?.hasSuffix(", k=\(key)") == true)
    let stopped = try await client.write(.delete, "push", #"{"endpoint":"\#(browser.endpoint)"}"#)
    #expect(stopped.text == #"{"changed":true}"#)
    #expect(try await client.get(path).object["channel"] is NSNull)
    #expect(try await home.database.fetchChannels().isEmpty)
  }

  @Test("a subscription that the push service has ended is told, and replaced by the next one")
  func ended() async throws {
    let home = try await ServedHome()
    let client = try home.client(home.server(pushes: PushService(410)))
    let (old, new) = (try Browser(), try Browser("https://push.example.com/b"))
    _ = try await client.write(.post, "push", old.body())
    let tested = try await client.write(.post, "push/test", #"{"endpoint":"\#(old.endpoint)"}"#)
    #expect(try tested.object["delivered"] as? Bool == false)
    #expect(
      try (tested.object["reason"] as? String)?.contains("push.example.com answered 410") == true)
    #expect(!tested.text.contains("4f1c"))
    let again = try await client.write(.post, "push", new.body(["replaces": old.endpoint]))
    #expect(again.status == 200)
    #expect(try await home.database.fetchChannels().count == 1)
    #expect(try await client.get("push?endpoint=\(old.endpoint)").object["channel"] is NSNull)
    #expect(try await client.get("push?endpoint=\(new.endpoint)").object["channel"] is String)
  }

  @Test(
    "what is no subscription is refused: another scheme, a private address, a variable, keys that fit nothing"
  )
  func refusals() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let browser = try Browser()
    for (members, text) in [
      (["endpoint": "http://push.example.com/4f1c"], "push service"),
      (["endpoint": "https://192.168.1.1/4f1c"], "push service"),
      (["endpoint": "https://localhost/4f1c"], "push service"),
      (["endpoint": "https://router.local/4f1c"], "push service"),
      (["endpoint": "https://ann@push.example.com/4f1c"], "user"),
      (["endpoint": "https://push.example.com/{env:HOME}"], "push service"),
      (["endpoint": "4f1c"], "push service"),
      (["auth": "{env:HOME}"], "push service"), (["p256dh": "BA"], "keys"),
      (["p256dh": Base64URL.text(of: [4] + [UInt8](repeating: 1, count: 64))], "keys"),
      (["auth": ""], "auth"), (["auth": "BA"], "keys"),
    ] as [([String: String], String)] {
      let answer = try await client.write(.post, "push", browser.body(members))
      #expect(answer.status == 400, "\(members): \(answer.status)")
      #expect(answer.detail.contains(text), "\(members): \(answer.detail)")
    }
    #expect(try await client.write(.post, "push", "{}").detail.contains("endpoint"))
    #expect(try await home.database.fetchChannels().isEmpty)
    let unknown = try await client.write(.post, "push/test", #"{"endpoint":"https://a.example/"}"#)
    #expect(unknown.status == 404)
  }

  @Test("nobody sees, tries or removes the channel of another user's browser")
  func others() async throws {
    let (home, clock) = (try await ServedHome(), SteppedClock())
    let service = PushService()
    let client = try home.client(home.server(clock: clock, pushes: service))
    let max = client.by(try await home.cookie(ofNew: "Max", .viewer, at: clock.now))
    let vera = client.by(try await home.cookie(ofNew: "Vera", .viewer, at: clock.now))
    let browser = try Browser()
    #expect(try await max.write(.post, "push", browser.body()).status == 200)
    let one = #"{"endpoint":"\#(browser.endpoint)"}"#
    #expect(try await vera.get("push?endpoint=\(browser.endpoint)").object["channel"] is NSNull)
    #expect(try await vera.write(.delete, "push", one).text == #"{"changed":false}"#)
    #expect(try await vera.write(.post, "push/test", one).status == 404)
    #expect(service.sent.withLock { $0 }.isEmpty)
    #expect(try await max.get("push?endpoint=\(browser.endpoint)").object["channel"] is String)
  }
}

/// A push service that answers every message alike, and notes it.
final class PushService: HTTPTransport {
  let sent = Mutex<[TransportRequest]>([])
  private let status: Int

  init(_ status: Int = 201) { self.status = status }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    sent.withLock { $0.append(request) }
    return TransportResponse(status: status, headers: [], bytes: [])
  }

  /// The channels of browsers that this service reaches.
  func channels(_ database: OffersDatabase) -> PushChannels {
    PushChannels { [self] in
      let key = try await database.findServerKey(for: OffersDatabase.pushKeyPurpose)
      return NoticeDelivery(
        database,
        ChannelTools(
          transport: self, environment: { _ in "a secret of the server" },
          sealPush: { try PushSealer(key: key ?? []).seal($0) }),
        FilterTextParser())
    }
  }
}
