public import Foundation

/// A way to reach a person: a command, a mailbox, a telephone.
///
/// A channel makes one attempt for each call. When to try again, and for how long, is its caller's to decide;
/// a message has the same ``NoticeMessage/id`` at each attempt, so that a receiver can tell a repeated one.
///
/// An implementation guarantees:
///
/// - **Every wait has a limit.** A call returns after 30 seconds at the latest, and soon after its task was
///   cancelled.
/// - **It never throws.** Whatever happens is one of the four outcomes.
/// - **A reason names no secret**: no token, no password, and no address with one in it. It is one line of at
///   most ``DeliveryOutcome/longestReason`` characters.
/// - **A text of a feed is text**, and never markup, an argument or a command of the channel.
public protocol NoticeChannel: Sendable {
  /// Tries once to deliver a message.
  func deliver(_ message: NoticeMessage) async -> DeliveryOutcome
}

/// How an attempt to deliver a message ended.
public enum DeliveryOutcome: Hashable, Sendable {
  /// The receiver has taken the message over.
  case delivered
  /// This attempt failed, and a later one may succeed: the receiver is busy, silent or cannot be reached.
  ///
  /// - Parameters:
  ///   - after: the time before which the receiver wants no further attempt; nil if it named none.
  ///   - reason: a sentence for people.
  case later(after: Date?, reason: String)
  /// The channel is gone for good, or the receiver does not accept its token: no message can be delivered
  /// until somebody sets it up again.
  case ended(reason: String)
  /// The receiver does not take this message, now or later, but may take others.
  case refused(reason: String)

  /// The reason of a failure; nil for a message that was delivered.
  public var reason: String? {
    switch self {
    case .delivered: nil
    case .later(_, let reason), .ended(let reason), .refused(let reason): reason
    }
  }

  /// The most characters of a reason.
  public static let longestReason = 300

  /// The longest time that an attempt may take, in seconds.
  package static let seconds = 30.0

  /// A failure that a later attempt may not have, at a time of the channel's own choice.
  package static func later(_ reason: String) -> DeliveryOutcome {
    .later(after: nil, reason: Self.line(reason))
  }

  /// A reason in one line, without control characters, cut to the longest length.
  package static func line(_ reason: String) -> String {
    SafeText.line(reason, characters: longestReason)
  }
}

/// How a channel puts a server's or a program's own words behind a reason.
extension DeliveryOutcome {
  /// The most characters of the words of others.
  private static let longestWords = 200

  /// A reason with the words of others behind it, as a sentence.
  ///
  /// - Parameters:
  ///   - reason: the beginning of a sentence, such as `ntfy.sh answered 429`.
  ///   - words: what the other side said, in its own words; empty for nothing.
  package static func reason(_ reason: String, words: String) -> String {
    let words = SafeText.line(words, characters: longestWords)
    if words.isEmpty { return line("\(reason).") }
    let isSentence = words.last.map { ".!?…".contains($0) } ?? false
    return line("\(reason): \(words)\(isSentence ? "" : ".")")
  }
}

/// A text for a browser by Web Push, and what its encryption and its authorization need besides the key of the
/// server. One module makes it, and another one, which has the key, seals it.
package struct PushEnvelope: Sendable {
  /// The text, at most ``mostBytes`` bytes.
  package let text: [UInt8]
  /// The public key of the subscription (`p256dh`): 65 bytes in Base64 for URLs.
  package let publicKey: String
  /// The secret of the subscription (`auth`): 16 bytes in Base64 for URLs.
  package let secret: String
  /// The origin of the push service, such as `https://push.example.com`.
  package let audience: String
  /// The end of the authorization, at most 24 hours ahead.
  package let expiresAt: Date
  /// Whom the operator of the push service tells of a fault: a `mailto:` or `https:` address.
  package let contact: String

  /// The most bytes of a text: a service takes bodies of at least 4,096 bytes (RFC 8291, section 4).
  package static let mostBytes = 3_993

  package init(
    text: [UInt8], publicKey: String, secret: String, audience: String, expiresAt: Date,
    contact: String
  ) {
    self.text = text
    self.publicKey = publicKey
    self.secret = secret
    self.audience = audience
    self.expiresAt = expiresAt
    self.contact = contact
  }
}

/// The body of a request to a push service, and the value of its `Authorization`.
package struct SealedPush: Sendable {
  package let body: [UInt8]
  package let authorization: String

  package init(body: [UInt8], authorization: String) {
    self.body = body
    self.authorization = authorization
  }
}

/// A browser's subscription to Web Push, as the browser gives it to a page
/// (https://www.w3.org/TR/push-api/#pushsubscription-interface).
package struct PushSubscription: Sendable {
  /// The address at the push service.
  package let endpoint: String
  /// The public key of the subscription (`p256dh`).
  package let publicKey: String
  /// The secret of the subscription (`auth`).
  package let secret: String
  /// The origin of the page, such as `https://offers.example.org`; nil if the request does not name it.
  package let page: String?

  package init(endpoint: String, publicKey: String, secret: String, page: String?) {
    self.endpoint = endpoint
    self.publicKey = publicKey
    self.secret = secret
    self.page = page
  }
}

/// The channels of subscriptions, for a server, which knows neither the settings of channels nor their delivery.
package struct PushChannels: Sendable {
  /// Returns the settings of the channel of a subscription as JSON. Throws `OffersError` with `invalidRequest` for
  /// an address or keys that no subscription has.
  package let settings: @Sendable (PushSubscription) async throws -> String
  /// Whether settings are those of the subscription at an address.
  package let isSubscription: @Sendable (_ settings: String, _ endpoint: String) -> Bool
  /// Delivers a message over a channel to show that it works.
  package let test: @Sendable (UserChannel) async throws -> DeliveryOutcome

  package init(
    settings: @escaping @Sendable (PushSubscription) async throws -> String,
    isSubscription: @escaping @Sendable (_ settings: String, _ endpoint: String) -> Bool,
    test: @escaping @Sendable (UserChannel) async throws -> DeliveryOutcome
  ) {
    self.settings = settings
    self.isSubscription = isSubscription
    self.test = test
  }
}
