import Foundation
import OffersCore

extension ChannelKind {
  static let gotify = ChannelKind(
    name: "gotify", summary: "sends to a Gotify server", example: "https://push.example.com",
    options: [Option("token", "the token of an application", isSecret: true, isRequired: true)]
  ) { kind, values, tools in
    var base = values.word
    while base.utf8.last == UInt8(ascii: "/") { base.removeLast() }
    var post = try NoticePost("\(base)/message", of: kind, values, tools)
    post.headers.append(HeaderField("x-gotify-key", values["token"] ?? ""))
    return GotifyChannel(post: post)
  }
}

/// Sends to an application of a Gotify server (https://gotify.net/docs/pushmsg).
///
/// The token is in a header field, and never in the address. 401 and 403 end the channel: the application was
/// deleted. A repeated message is known by its id in `extras`, which no client of Gotify reads.
struct GotifyChannel: NoticeChannel {
  let post: NoticePost

  /// The most bytes of a text, so that a telephone shows it.
  private static let mostBytes = 8_000

  func deliver(_ message: NoticeMessage) async -> DeliveryOutcome {
    let click = message.link ?? (message.entries.count == 1 ? message.entries.first?.link : nil)
    let body = JSONWriter.document { json in
      json.member("title", message.title)
      json.member("message", message.plainText(limit: Self.mostBytes))
      // From 4 on a telephone makes a sound, from 8 on it shows the message over others.
      json.member("priority", message.isUrgent ? 8 : 5)
      json.member("extras") { json in
        json.object { json in
          json.member("client::display") { json in
            json.object { $0.member("contentType", "text/plain") }
          }
          if let click {
            json.member("client::notification") { json in
              json.object { json in
                json.member("click") { json in
                  json.object { $0.member("url", click.absoluteString) }
                }
              }
            }
          }
          json.member("offers::notice") { json in json.object { $0.member("id", message.id) } }
        }
      }
    }
    return await post.send(Array(body.utf8))
  }
}
