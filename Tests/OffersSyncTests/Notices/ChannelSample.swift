import Foundation
import OffersCore
import Synchronization

@testable import OffersSync

/// What the tests of channels share: a message, and a transport that answers as told.
enum ChannelSample {
  static let now = Date(timeIntervalSince1970: 1_800_000_000)

  static func message(
    entries count: Int = 1, sentence: String = "The reward rose from $2.00 to $3.00.",
    isUrgent: Bool = false, link: String? = nil
  ) -> NoticeMessage {
    NoticeMessage(
      id: "n-1", time: now, title: "Coffee <b>rose</b>",
      entries: (0..<count).map { number in
        NoticeMessage.Entry(
          feed: "ibotta", offer: OfferRef(feed: "ibotta", offerID: "\(number)"),
          name: "Coffee & <Tea> \(number)", sentence: sentence,
          link: URL(string: "https://shop.example/\(number)"))
      },
      isUrgent: isUrgent, link: link.flatMap { URL(string: $0) })
  }

  /// Answers every request alike, and notes them.
  final class Transport: HTTPTransport {
    let sent = Mutex<[TransportRequest]>([])
    private let answer: @Sendable (TransportRequest) throws -> TransportResponse

    init(_ answer: @escaping @Sendable (TransportRequest) throws -> TransportResponse) {
      self.answer = answer
    }

    convenience init(_ status: Int, _ headers: [HeaderField] = [], _ body: String = "") {
      self.init { _ in
        TransportResponse(status: status, headers: headers, bytes: Array(body.utf8))
      }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      sent.withLock { $0.append(request) }
      return try answer(request)
    }

    var requests: [TransportRequest] { sent.withLock { $0 } }

    /// The members of the body of the only request.
    var document: [String: Any] {
      let body = Data(requests.first?.body ?? [])
      return (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:]
    }
  }

  /// A channel of settings whose secrets are `NAME` = `secret-of-NAME` unless given.
  static func channel(
    _ kind: String, _ words: [String], _ options: [String: String] = [:],
    allowsPrivateNetwork: Bool = false, variables: [String: String] = [:],
    _ transport: Transport = Transport(200)
  ) throws -> any NoticeChannel {
    try ChannelSettings(
      kind: kind, words: words, options: options, allowsPrivateNetwork: allowsPrivateNetwork
    ).makeChannel(tools(transport, variables: variables))
  }

  static func tools(
    _ transport: Transport = Transport(200), variables: [String: String] = [:],
    run: ChannelTools.Runner? = nil, sendMail: ChannelTools.MailSender? = nil
  ) -> ChannelTools {
    ChannelTools(
      transport: transport, environment: { variables[$0] },
      run: run ?? { _, _ in .delivered }, sendMail: sendMail ?? { _ in .delivered },
      authenticate: { key, _ in key },
      sealPush: {
        SealedPush(body: $0.text, authorization: "vapid t=\($0.audience), k=\($0.publicKey)")
      },
      now: { now })
  }

  static let webhookSecret = "whsec_" + Data(repeating: 7, count: 24).base64EncodedString()
  static let botToken = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"

  /// The channels over HTTP, each with a secret that no reason may show.
  static let overHTTP:
    [(kind: String, words: [String], options: [String: String], secret: String)] = [
      ("ntfy", ["https://ntfy.example/coffee_7c1"], ["token": "tk_secret"], "tk_secret"),
      ("gotify", ["https://push.example/g/"], ["token": "A.secret"], "A.secret"),
      ("telegram", ["4711"], ["token": botToken], botToken),
      ("webhook", ["https://hook.example/T0/secret?x=1"], ["secret": webhookSecret], "T0/secret"),
      ("webpush", ["https://push.example/p/secret"], ["p256dh": "BA", "auth": "xx"], "p/secret"),
    ]
}
