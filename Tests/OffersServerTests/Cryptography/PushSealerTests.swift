import Foundation
import OffersCore
import Testing

@testable import OffersServer
@testable import OffersSync

@Suite("Web Push and webhooks")
struct PushSealerTests {
  private static func bytes(_ text: String) -> [UInt8] { Array(Base64URL.data(of: text) ?? Data()) }

  private static let browser =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
  private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

  @Test("the example of RFC 8291 is encrypted as there")
  func example() throws {
    let key = try PushKey(Self.bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
    let body = try PushSealer.encrypt(
      Array("When I grow up, I want to be a watermelon".utf8), for: Self.bytes(Self.browser),
      Self.bytes(Self.secret), by: key, salt: Self.bytes("DGv6ra1nlYgDCS1FRnbzlw"))
    #expect(
      Base64URL.text(of: body)
        == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInm"
        + "YWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSg"
        + "Sxsj_Qulcy4a-fN")
  }

  private static func envelope(
    _ text: [UInt8] = [1], _ publicKey: String = browser, _ secret: String = secret
  ) -> PushEnvelope {
    PushEnvelope(
      text: text, publicKey: publicKey, secret: secret, audience: "https://push.example",
      expiresAt: Date(timeIntervalSince1970: 1_800_000_000), contact: "mailto:ann@example.com")
  }

  @Test("a request is authorized for the origin of the service and until a time")
  func authorization() throws {
    let key = try PushSealer.makeKey()
    let sealer = try PushSealer(key: key)
    let sealed = try sealer.seal(
      Self.envelope([UInt8](repeating: 1, count: PushEnvelope.mostBytes)))
    #expect(sealed.body.count == 4_096)
    let parts = sealed.authorization.split(scalar: ",")
    #expect(parts.last == " k=\(sealer.publicKey)")
    let words = parts[0].dropFirst("vapid t=".count).split(scalar: ".")
    #expect(Self.bytes(String(words[0])) == Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8))
    #expect(
      String(decoding: Self.bytes(String(words[1])), as: UTF8.self)
        == #"{"aud":"https://push.example","exp":1800000000,"sub":"mailto:ann@example.com"}"#)
    #expect(Self.bytes(String(words[2])).count == 64 && Self.bytes(sealer.publicKey).count == 65)
    #expect(try PushSealer(key: key).publicKey == sealer.publicKey)
  }

  @Test("keys of another form, a point off the curve and a text that is too long are refused")
  func refusals() throws {
    let sealer = try PushSealer(key: try PushSealer.makeKey())
    let offCurve = Base64URL.text(of: [4] + [UInt8](repeating: 1, count: 64))
    let long = [UInt8](repeating: 1, count: PushEnvelope.mostBytes + 1)
    for envelope in [
      Self.envelope([], "BA"), Self.envelope([], Self.browser, "BA"), Self.envelope([], offCurve),
      Self.envelope(long),
    ] {
      #expect(throws: OffersError.self) { try sealer.seal(envelope) }
    }
    for key in [[], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 1, count: 33)] {
      #expect(throws: OffersError.self) { try PushSealer(key: key) }
    }
  }

  @Test("a webhook is signed as in the example of the libraries of Standard Webhooks")
  func webhook() throws {
    let settings = try ChannelSettings(
      kind: "webhook", words: ["https://hook.example"],
      options: ["secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
    let channel = try settings.makeChannel(
      ChannelTools(
        transport: NoTransport(), environment: { _ in nil },
        authenticate: { try HMACKey($0).code(of: $1) }))
    let webhook = try #require(channel as? WebhookChannel)
    #expect(
      try webhook.signatures(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", Array(#"{"test": 2432232314}"#.utf8))
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  private struct NoTransport: HTTPTransport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
      throw TransportFailure(.noNetwork)
    }
  }
}
