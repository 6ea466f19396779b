import Foundation
import OffersCore
import Testing

@testable import OffersSync

@Suite("Answers to channels over HTTP")
struct ChannelAnswerTests {
  private typealias Sample = ChannelSample

  /// How an attempt ended, without its reason.
  private static func word(_ outcome: DeliveryOutcome) -> String {
    switch outcome {
    case .delivered: "delivered"
    case .later: "later"
    case .ended: "ended"
    case .refused: "refused"
    }
  }

  @Test(
    "each status has one meaning for each kind",
    arguments: [
      (200, ["delivered", "delivered", "delivered", "delivered", "delivered"]),
      (201, ["delivered", "delivered", "delivered", "delivered", "delivered"]),
      (301, ["later", "later", "later", "later", "later"]),
      (400, ["refused", "refused", "refused", "later", "refused"]),
      (401, ["ended", "ended", "ended", "later", "ended"]),
      (403, ["ended", "ended", "ended", "later", "ended"]),
      (404, ["later", "later", "ended", "later", "ended"]),
      (408, ["later", "later", "later", "later", "later"]),
      (410, ["ended", "ended", "ended", "ended", "ended"]),
      (413, ["refused", "refused", "refused", "refused", "refused"]),
      (429, ["later", "later", "later", "later", "later"]),
      (500, ["later", "later", "later", "later", "later"]),
      (503, ["later", "later", "later", "later", "later"]),
    ])
  func statuses(_ status: Int, _ expected: [String]) async throws {
    for (kind, word) in zip(Sample.overHTTP, expected) {
      let channel = try Sample.channel(
        kind.kind, kind.words, kind.options, Sample.Transport(status))
      let outcome = await channel.deliver(Sample.message())
      #expect(Self.word(outcome) == word, "\(kind.kind) \(status)")
      if let reason = outcome.reason {
        #expect(reason.contains("example") || kind.kind == "telegram")
      }
    }
  }

  @Test("a wait is read from Retry-After in both forms, and from Telegram's parameters")
  func waits() async throws {
    let day = "Fri, 15 Jan 2027 08:02:00 GMT"
    for (header, body, seconds) in [
      ("120", "", 120.0), (day, "", 120), ("soon", "", nil), ("-5", "", nil),
      ("99999999", "", 604_800),
      (nil, #"{"ok":false,"description":"Too Many Requests","parameters":{"retry_after":35}}"#, 35),
      (nil, #"{"parameters":{"retry_after":"x"}}"#, nil), (nil, "<html>", nil),
    ] as [(String?, String, Double?)] {
      let transport = Sample.Transport(
        429, header.map { [HeaderField("Retry-After", $0)] } ?? [], body)
      let channel = try Sample.channel("telegram", ["4711"], ["token": Sample.botToken], transport)
      guard case .later(let after, _) = await channel.deliver(Sample.message()) else {
        Issue.record("429 is not tried again")
        continue
      }
      #expect(after == seconds.map { Sample.now + $0 }, "\(header ?? body)")
    }
  }

  @Test("no reason shows a secret, even if the server repeats it")
  func secrets() async throws {
    for kind in Sample.overHTTP {
      let echo = #"{"error":"bad \#(kind.secret) and https://a.example/?key=\#(kind.secret)"}"#
      for status in [401, 429, 500] {
        let channel = try Sample.channel(
          kind.kind, kind.words, kind.options, Sample.Transport(status, [], echo))
        let reason = await channel.deliver(Sample.message()).reason ?? ""
        #expect(!reason.isEmpty && !reason.contains(kind.secret), "\(kind.kind): \(reason)")
      }
      let inner = Sample.Transport { request in
        try request.check(address: "10.0.0.1")
        return TransportResponse(status: 200, bytes: [])
      }
      let channel = try Sample.channel(kind.kind, kind.words, kind.options, inner)
      let reason = await channel.deliver(Sample.message()).reason ?? ""
      #expect(reason.contains("public internet") && !reason.contains(kind.secret), "\(reason)")
    }
  }

  @Test("silence, a lost network and a broken answer are tried again")
  func failures() async throws {
    for (failure, words) in [
      (TransportFailure.Reason.unreachable, "ntfy.example cannot be reached."),
      (.noAnswer, "ntfy.example did not answer in time."),
      (.untrusted, "ntfy.example cannot be trusted"),
    ] {
      let transport = Sample.Transport { _ in throw TransportFailure(failure) }
      let channel = try Sample.channel("ntfy", ["https://ntfy.example/t"], [:], transport)
      let outcome = await channel.deliver(Sample.message())
      #expect(Self.word(outcome) == "later" && outcome.reason?.hasPrefix(words) == true)
    }
  }

  @Test("a body that is slow or ends early does not change the outcome of its status")
  func slowBody() async throws {
    let endless = Sample.Transport { _ in
      TransportResponse(status: 200, body: AsyncThrowingStream<[UInt8], any Error> { _ in })
    }
    let channel = try #require(
      try Sample.channel("ntfy", ["https://ntfy.example/t"], [:], endless) as? NtfyChannel)
    var post = channel.post
    post.seconds = 0.01
    let outcome = await NtfyChannel(post: post, topic: "t").deliver(Sample.message())
    #expect(outcome == .delivered)
  }

  @Test("Telegram's own words tell a chat that is gone from a message that it refuses")
  func telegram() async throws {
    for (status, words, expected) in [
      (400, "Bad Request: chat not found", "ended"),
      (400, "Bad Request: can't parse entities", "refused"),
      (403, "Forbidden: bot was blocked by the user", "ended"),
      (400, "Bad Request: group chat was upgraded to a supergroup chat", "ended"),
    ] {
      let channel = try Sample.channel(
        "telegram", ["4711"], ["token": Sample.botToken],
        Sample.Transport(status, [], #"{"ok":false,"description":"\#(words)"}"#))
      let outcome = await channel.deliver(Sample.message())
      #expect(Self.word(outcome) == expected && outcome.reason?.contains(words) == true)
    }
  }
}
