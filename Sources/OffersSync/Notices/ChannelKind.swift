import Foundation
import OffersCore

/// A kind of channel, such as `ntfy`: its settings, and how a channel is made of them.
///
/// Each kind stands in the file of its channel, and in ``all``.
package struct ChannelKind: Sendable {
  /// A setting with a name. Its value is a text.
  package struct Option: Sendable {
    package let name: String
    /// What the value is, for people.
    package let summary: String
    /// Whether the value must not be shown, stored in the database or exported.
    package let isSecret: Bool
    package let isRequired: Bool

    init(_ name: String, _ summary: String, isSecret: Bool = false, isRequired: Bool = false) {
      self.name = name
      self.summary = summary
      self.isSecret = isSecret
      self.isRequired = isRequired
    }
  }

  package let name: String
  /// What the channel does, for people: a phrase.
  package let summary: String
  /// The words behind the kind, as an example: `https://ntfy.sh/TOPIC`.
  package let example: String
  /// Whether browsers make its channels on the page, and people cannot.
  package var isSubscription = false
  package let options: [Option]
  /// Whether any number of words is allowed, instead of one.
  var takesWords = false
  /// The part of the first word that is a secret; nil if none is.
  var findSecret: @Sendable (_ word: String) -> Range<String.Index>? = { _ in nil }
  /// Makes a channel, and refuses values that no channel can have.
  let make: @Sendable (ChannelKind, ChannelValues, ChannelTools) throws -> any NoticeChannel

  /// All kinds, in the order in which they are listed.
  package static let all: [ChannelKind] = [
    .command, .email, .ntfy, .gotify, .telegram, .webhook, .webPush,
  ]

  /// The kind of a name.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an unknown one.
  package static func named(_ name: String) throws(OffersError) -> ChannelKind {
    if let kind = all.first(where: { $0.name == name }) { return kind }
    throw OffersError(
      .invalidRequest, "There is no kind of channel “\(SafeText.line(name, characters: 40))”.",
      hint: NearestWord.hint(for: name, among: all.map(\.name), title: "Kinds"))
  }

  /// The error of a value that the kind cannot have.
  ///
  /// - Parameter what: a sentence that does not show the value of a secret.
  func refusal(_ what: String, hint: String? = nil) -> OffersError {
    let required = options.filter(\.isRequired).map { ", with the option \($0.name)" }.joined()
    return OffersError(
      .invalidRequest, what,
      hint: hint.map { Hint($0) } ?? "Write it as in this example: \(name) \(example)\(required)")
  }

  /// Checks that a part of this program exists that the kind needs.
  func required<Tool>(_ tool: Tool?) throws(OffersError) -> Tool {
    if let tool { return tool }
    throw OffersError(
      .invalidRequest, "This program has no means to deliver over a channel of the kind \(name).",
      hint: "Use another kind.")
  }
}

/// What channels need of other modules, and of the machine.
package struct ChannelTools: Sendable {
  /// Runs a program with some bytes on its standard input, as `NoticeProgram` does.
  package typealias Runner =
    @Sendable (_ words: [String], _ input: [UInt8]) async -> DeliveryOutcome
  /// Sends a mail, as `MailClient` does.
  package typealias MailSender = @Sendable (MailSubmission) async -> DeliveryOutcome
  /// Computes an HMAC-SHA-256 (RFC 2104).
  package typealias Authenticator =
    @Sendable (_ key: [UInt8], _ message: [UInt8]) throws -> [UInt8]
  /// Encrypts and authorizes a message of Web Push.
  package typealias PushSealer = @Sendable (PushEnvelope) throws -> SealedPush

  let transport: any HTTPTransport
  /// The value of a variable: an entry in the file of secrets (``ChannelSecrets``), or an environment variable.
  let environment: @Sendable (String) -> String?
  let run: Runner?
  let sendMail: MailSender?
  let authenticate: Authenticator?
  let sealPush: PushSealer?
  let now: @Sendable () -> Date

  /// - Parameters:
  ///   - transport: sends the requests of channels over HTTP.
  ///   - environment: returns the value of a variable that settings name; nil if it is not set.
  ///   - run: runs programs; nil where there are none. So with the others.
  ///   - now: the clock for signatures and for `Retry-After`.
  package init(
    transport: any HTTPTransport, environment: @escaping @Sendable (String) -> String?,
    run: Runner? = nil, sendMail: MailSender? = nil, authenticate: Authenticator? = nil,
    sealPush: PushSealer? = nil, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.transport = transport
    self.environment = environment
    self.run = run
    self.sendMail = sendMail
    self.authenticate = authenticate
    self.sealPush = sealPush
    self.now = now
  }
}

/// The settings of a channel with the values of their variables.
struct ChannelValues: Sendable {
  let words: [String]
  let options: [String: String]
  /// Whether the server may be in a private network or on this machine.
  let mayBePrivate: Bool
  /// Hides the secrets among the values.
  let secrets: SecretRedactor

  /// The only word, or the first one. Settings have at least one.
  var word: String { words.first ?? "" }

  subscript(option: String) -> String? { options[option] }
}
