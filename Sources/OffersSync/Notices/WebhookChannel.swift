import Foundation
import OffersCore

extension ChannelKind {
  static let webhook = ChannelKind(
    name: "webhook",
    summary: "sends the message as JSON to an address, signed as Standard Webhooks 1.0 says",
    example: "https://example.com/hook",
    options: [
      Option(
        "secret", "the key of the signature, whsec_ and 24 to 64 bytes in Base64", isSecret: true,
        isRequired: true),
      Option(
        "old_secret", "the key before, while the receiver changes to a new one", isSecret: true),
    ],
    findSecret: { $0.startIndex..<$0.endIndex },
    make: { kind, values, tools in
      let keys = try [("secret", values["secret"]), ("old_secret", values["old_secret"])]
        .compactMap { name, text in try text.map { try WebhookKey($0, of: name) } }
      return WebhookChannel(
        post: try NoticePost(values.word, of: kind, values, tools), keys: keys,
        authenticate: try kind.required(tools.authenticate))
    })
}

/// Sends signed requests in the form of Standard Webhooks 1.0
/// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
///
/// The receiver knows a repeated message by `webhook-id`, and refuses a signature of another time by
/// `webhook-timestamp`, the time of the attempt in Unix seconds. 2xx is a delivery, 410 ends the channel, and every
/// other answer is tried again, as the specification recommends.
struct WebhookChannel: NoticeChannel {
  let post: NoticePost
  /// The key, and while it is being changed the one before.
  let keys: [WebhookKey]
  let authenticate: ChannelTools.Authenticator

  func deliver(_ message: NoticeMessage) async -> DeliveryOutcome {
    let body = Array(
      JSONWriter.document { json in
        json.member("type", "offers.notice")
        json.member("timestamp", message.time)
        json.member("data") { json in json.object { $0.members(of: message) } }
      }.utf8)
    let time = String(post.now().storedSeconds)
    var post = post
    do {
      post.headers += [
        HeaderField("webhook-id", message.id), HeaderField("webhook-timestamp", time),
        HeaderField("webhook-signature", try signatures(message.id, time, body)),
      ]
    } catch {
      return .later("The message could not be signed. \(OffersError(error).message)")
    }
    return await post.send(body) { answer in
      switch answer.status {
      case 200..<300: .delivered
      case 410: answer.ended
      case 413: .refused(reason: answer.reason)
      default: answer.later
      }
    }
  }
}

extension WebhookChannel {
  /// The value of `webhook-signature`: a signature for each key, with a space in between.
  func signatures(_ id: String, _ time: String, _ body: [UInt8]) throws -> String {
    let signed = Array("\(id).\(time).".utf8) + body
    return try keys.map { key in
      "v1,\(Data(try authenticate(key.bytes, signed)).base64EncodedString())"
    }.joined(separator: " ")
  }
}

/// A key for the signatures of a webhook: `whsec_` and its bytes in Base64.
public struct WebhookKey: Sendable {
  let bytes: [UInt8]

  private static let prefix = "whsec_"
  /// The numbers of bytes that the specification allows.
  private static let counts = 24...64

  /// Parses a key.
  ///
  /// - Throws: `OffersError` with `invalidRequest`, which does not show the text.
  init(_ text: String, of option: String) throws(OffersError) {
    guard text.hasPrefix(Self.prefix),
      let data = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
      Self.counts.contains(data.count)
    else {
      throw OffersError(
        .invalidRequest,
        "The option \(option) is not whsec_ and \(Self.counts.lowerBound) to \(Self.counts.upperBound) "
          + "bytes in Base64.",
        hint: "Copy it from the receiver, or make a new one.")
    }
    bytes = Array(data)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// A new key of 32 bytes of the system's random numbers.
  public static func random() -> WebhookKey {
    var generator = SystemRandomNumberGenerator()
    return WebhookKey(bytes: (0..<32).map { _ in .random(in: .min ... .max, using: &generator) })
  }

  /// The text of the key, which is a secret.
  public var text: String { Self.prefix + Data(bytes).base64EncodedString() }
}
