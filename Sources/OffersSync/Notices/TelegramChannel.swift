import Foundation
import OffersCore

extension ChannelKind {
  static let telegram = ChannelKind(
    name: "telegram", summary: "sends to a chat with a bot of Telegram", example: "12345",
    options: [
      Option("token", "the token of the bot", isSecret: true, isRequired: true),
      Option("server", "the address of a Bot API server of your own"),
    ]
  ) { kind, values, tools in
    guard TelegramChannel.isChat(values.word) else {
      throw kind.refusal("The chat is neither a number nor the name of a channel after @.")
    }
    guard let token = values["token"], TelegramChannel.isToken(token) else {
      throw kind.refusal(
        "The option token is not the token of a bot.",
        hint: "Copy it from BotFather: a number, a colon, and letters, digits, - and _.")
    }
    var server = values["server"] ?? "https://api.telegram.org"
    while server.utf8.last == UInt8(ascii: "/") { server.removeLast() }
    return TelegramChannel(
      post: try NoticePost("\(server)/bot\(token)/sendMessage", of: kind, values, tools),
      chat: values.word)
  }
}

/// Sends to a chat by the Bot API of Telegram (https://core.telegram.org/bots/api#sendmessage).
///
/// A text has at most 4,096 UTF-16 units. It is HTML of Telegram's own kind, in which the texts of feeds are
/// escaped. Telegram has no identity for messages, so that a repeated one is shown twice.
///
/// 401 and 404 (no such token), 403 (the user has blocked the bot) and 400 for a chat that does not exist end the
/// channel.
struct TelegramChannel: NoticeChannel {
  /// To an address with the token in its path.
  let post: NoticePost
  let chat: String

  private static let mostUnits = 4_096
  /// The longest address that is linked, so that each entry fits into a message.
  private static let mostLinkBytes = 500

  func deliver(_ message: NoticeMessage) async -> DeliveryOutcome {
    let body = JSONWriter.document { json in
      json.member("chat_id", chat)
      json.member("text", Self.text(message))
      json.member("parse_mode", "HTML")
      json.member("link_preview_options") { json in json.object { $0.member("is_disabled", true) } }
    }
    return await post.send(Array(body.utf8)) { answer in
      switch answer.status {
      case 401, 403, 404: answer.ended
      case 400 where Self.signsOfNoChat.contains { answer.words.lowercased().contains($0) }:
        answer.ended
      default: answer.outcome
      }
    }
  }

  /// The words of Telegram about a chat to which nothing can be sent any more.
  private static let signsOfNoChat = [
    "chat not found", "peer_id_invalid", "user is deactivated", "upgraded to a supergroup",
  ]

  static func text(_ message: NoticeMessage) -> String {
    let title = "<b>\(SafeText.html(message.title))</b>\n\n"
    let end = shown(message.link).map { "\n\n\(NoticeMessage.anchor($0, "All of it"))" } ?? ""
    let room = mostUnits - title.utf16.count - end.utf16.count
    let entries = message.fitted(room, separator: "\n\n", measure: \.utf16.count, write: html)
    return title + entries + end
  }

  private static func html(_ entry: NoticeMessage.Entry) -> String {
    var text =
      shown(entry.link).map { NoticeMessage.anchor($0, entry.name) } ?? SafeText.html(entry.name)
    if !entry.sentence.isEmpty { text += " \(SafeText.html(entry.sentence))" }
    if let watch = entry.watch { text += "\nWatch: \(SafeText.html(watch))" }
    if let command = entry.command { text += "\n<code>\(SafeText.html(command))</code>" }
    return text
  }

  private static func shown(_ link: URL?) -> URL? {
    link.flatMap { $0.absoluteString.utf8.count <= mostLinkBytes ? $0 : nil }
  }

  static func isChat(_ text: String) -> Bool {
    if text.utf8.first == UInt8(ascii: "@") {
      return text.utf8.count > 1
        && text.utf8.dropFirst().allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "_") }
    }
    return Int64(text) != nil
  }

  static func isToken(_ text: String) -> Bool {
    let parts = text.split(scalar: ":", omittingEmptySubsequences: false)
    return parts.count == 2 && Int64(parts[0]) != nil && parts[1].utf8.count >= 20
      && parts[1].utf8.allSatisfy { ASCII.isLetterOrDigit($0) || "-_".utf8.contains($0) }
  }
}
