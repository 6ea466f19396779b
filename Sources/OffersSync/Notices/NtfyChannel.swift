import Foundation
import OffersCore

extension ChannelKind {
  static let ntfy = ChannelKind(
    name: "ntfy", summary: "sends to a topic of ntfy, at ntfy.sh or a server of your own",
    example: "https://ntfy.sh/TOPIC",
    options: [
      Option("token", "an access token", isSecret: true),
      Option("user", "the name of a user, in place of a token"),
      Option("password", "the password of the user", isSecret: true),
    ],
    findSecret: { NtfyChannel.topic(of: $0) },
    make: { kind, values, tools in
      let word = values.word
      if !word.contains("://") { throw kind.refusal("The address does not begin with https://.") }
      guard let range = NtfyChannel.topic(of: word), NtfyChannel.isTopic(word[range]) else {
        throw kind.refusal("The address ends with no topic of 1 to 64 letters, digits, - and _.")
      }
      guard (values["user"] == nil) == (values["password"] == nil),
        values["token"] == nil || values["user"] == nil
      else {
        throw kind.refusal(
          "The channel has a part of a login, or two logins.",
          hint: "Give a token, or a user and a password, or none of them.")
      }
      var post = try NoticePost(String(word[..<range.lowerBound]), of: kind, values, tools)
      if let token = values["token"] {
        post.headers.append(HeaderField("authorization", "Bearer \(token)"))
      } else if let user = values["user"], let password = values["password"],
        let credentials = BasicCredentials.encoded("\(BasicCredentials.scheme)\(user):\(password)")
      {
        post.headers.append(HeaderField("authorization", credentials))
      }
      return NtfyChannel(post: post, topic: String(word[range]))
    })
}

/// Publishes to a topic of ntfy as JSON, at the root of its server (https://docs.ntfy.sh/publish/#publish-as-json).
///
/// A repeated message replaces the first one by its `sequence_id`, from ntfy 2.16 on; older servers ignore it.
/// 401 and 403 end the channel, since the token was revoked or the topic reserved.
struct NtfyChannel: NoticeChannel {
  /// To the root of the server: the topic is not in the address.
  let post: NoticePost
  let topic: String

  /// The most bytes of a text. ntfy turns one of more than 4,096 bytes into an attachment.
  private static let mostBytes = 4_000
  private static let mostActions = 3

  func deliver(_ message: NoticeMessage) async -> DeliveryOutcome {
    // A click opens the only offer, if there is no page of the program.
    let links = message.entries.filter { $0.link != nil }
    let click = message.link ?? (links.count == 1 ? links.first?.link : nil)
    let body = JSONWriter.document { json in
      json.member("topic", topic)
      json.member("title", message.title)
      json.member("message", message.plainText(hasLinks: false, limit: Self.mostBytes))
      // 3 is the usual priority, and 5 the highest, which may break through the silence of a telephone.
      json.member("priority", message.isUrgent ? 5 : 3)
      if let click { json.member("click", click.absoluteString) }
      if !links.isEmpty {
        json.member("actions", objects: links.prefix(Self.mostActions)) { json, entry in
          json.member("action", "view")
          json.member("label", SafeText.line(entry.name, characters: 40))
          json.member("url", entry.link?.absoluteString)
        }
      }
      json.member("sequence_id", message.id)
    }
    return await post.send(Array(body.utf8))
  }

  /// The place of the topic in an address: behind the last slash of its path.
  static func topic(of address: String) -> Range<String.Index>? {
    guard let scheme = address.utf8.firstRange(of: "://".utf8),
      let slash = address.utf8[scheme.upperBound...].lastIndex(of: UInt8(ascii: "/"))
    else { return nil }
    let start = address.utf8.index(after: slash)
    return start < address.endIndex ? start..<address.endIndex : nil
  }

  static func isTopic(_ text: Substring) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || "-_".utf8.contains($0) }
  }
}
