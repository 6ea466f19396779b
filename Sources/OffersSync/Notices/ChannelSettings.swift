import Foundation
public import OffersCore
import OffersFeeds
import OffersPlatform

/// The settings of a channel: its kind, words such as an address or the words of a command, and options.
///
/// `{env:NAME}` in a word or an option stands for the value of a variable: of an entry in the file of secrets
/// (``ChannelSecrets``), or of an environment variable. A text without `{env:` is taken as it is; in one with it,
/// `{{` and `}}` are braces.
///
/// The settings are stored as JSON, shown and exported. Secrets must be in variables; see
/// ``separatingSecrets(of:)``.
public struct ChannelSettings: Hashable, Sendable {
  /// The name of the kind, such as `ntfy`.
  public let kind: String
  /// The address, or the program and its arguments. There is at least one.
  public let words: [String]
  /// The values of options by their names.
  public let options: [String: String]
  /// Whether the channel's server may be in a private network or on this machine, because a user of this
  /// machine said so.
  public let allowsPrivateNetwork: Bool

  /// The most bytes of all settings.
  static let mostBytes = 16 << 10

  /// The least bytes of a part of an address that is hidden: a shorter one may be a part of any word.
  private static let leastSecretBytes = 6

  /// Creates settings as people write them.
  ///
  /// - Parameters:
  ///   - kind: the name of the kind.
  ///   - words: the words behind it: `["https://ntfy.sh/topic"]`, or a program and its arguments.
  ///   - options: such as `["token": "{env:NTFY_TOKEN}"]`.
  ///   - allowsPrivateNetwork: whether the server may be in a private network or on this machine.
  /// - Throws: `OffersError` with `invalidRequest` for an unknown kind or option, a missing one, a control
  ///   character, an invalid variable, and settings that are too long. The values are checked by
  ///   ``makeChannel(_:)``.
  public init(
    kind name: String, words: [String], options: [String: String] = [:],
    allowsPrivateNetwork: Bool = false
  ) throws(OffersError) {
    let kind = try ChannelKind.named(name)
    self.kind = name
    self.words = words
    self.options = options
    self.allowsPrivateNetwork = allowsPrivateNetwork
    guard let first = words.first, !first.isEmpty else {
      throw kind.refusal("A channel of the kind \(name) needs its address or its words.")
    }
    guard kind.takesWords || words.count == 1 else {
      throw kind.refusal("A channel of the kind \(name) has one word, and not \(words.count).")
    }
    let names = kind.options.map(\.name)
    for option in options.keys.sorted() where !names.contains(option) {
      throw OffersError(
        .invalidRequest,
        "A channel of the kind \(name) has no option “\(SafeText.line(option, characters: 40))”.",
        hint: NearestWord.hint(for: option, among: names, title: "Options"))
    }
    let missing = kind.options.filter {
      $0.isRequired && options[$0.name, default: ""].isEmpty
    }
    if !missing.isEmpty {
      let texts = missing.map { "\($0.name), \($0.summary)" }.joined(separator: "; and ")
      throw OffersError(
        .invalidRequest, "A channel of the kind \(name) needs \(texts).",
        hint: Hint(
          "Add what is missing.",
          command: missing.map { "--option \($0.name)=VALUE" }.joined(separator: " ")))
    }
    let texts = words + options.values
    guard texts.reduce(0, { $0 + $1.utf8.count }) <= Self.mostBytes else {
      throw kind.refusal("The settings have more than \(Units.size(Self.mostBytes)).")
    }
    guard !texts.contains(where: { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }) else {
      throw kind.refusal("A setting has a line break or another control character.")
    }
    try OffersError.translating { for text in texts { _ = try Self.template(text) } }
  }

  /// Reads settings as they are stored.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a text that ``json`` has not written, and as the
  ///   other initializer.
  public init(json: String) throws(OffersError) {
    let stored: Stored
    do {
      stored = try JSONDecoder().decode(Stored.self, from: Data(json.utf8))
    } catch {
      throw OffersError(
        .invalidRequest, "The stored settings of a channel cannot be read.",
        hint: "Remove the channel, and add it again.", cause: "\(error)")
    }
    try self.init(
      kind: stored.kind, words: stored.words, options: stored.options,
      allowsPrivateNetwork: stored.isPrivate)
  }

  private struct Stored: Decodable {
    let kind: String
    let words: [String]
    let options: [String: String]
    let isPrivate: Bool

    enum CodingKeys: String, CodingKey {
      case kind, words, options
      case isPrivate = "private"
    }
  }

  /// The words that may be shown: of a command, the program only, because its arguments may be secrets, and of a
  /// subscription the name of the push service.
  package var shownWords: [String] {
    switch kind {
    case ChannelKind.command.name: Array(words.prefix(1))
    case ChannelKind.webPush.name: words.map { HTTPOrigin($0)?.hostAndPort ?? "" }
    default: words
    }
  }

  /// The settings as JSON, with the options in the order of their names.
  public var json: String {
    JSONWriter.document { json in
      json.member("kind", kind)
      json.member("words", each: words) { $0.value($1) }
      json.member("options") { json in
        json.object { json in
          for (name, value) in options.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
        }
      }
      json.member("private", allowsPrivateNetwork)
    }
  }

  /// Makes the channel, with the present values of its variables.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a variable that is not set and a value that the kind
  ///   cannot have.
  package func makeChannel(_ tools: ChannelTools) throws(OffersError) -> any NoticeChannel {
    try OffersError.translating {
      let kind = try ChannelKind.named(kind)
      var secrets = SecretRedactor()
      func filled(_ text: String) throws -> String {
        let source = SourceTemplate(
          try Self.template(text), ofSetting: kind.name, environment: tools.environment)
        secrets.add(source.secrets)
        return try source.filled(page: 0)
      }
      let words = try words.map(filled)
      var values: [String: String] = [:]
      for (name, text) in options where !text.isEmpty { values[name] = try filled(text) }
      for option in kind.options where option.isSecret {
        if let value = values[option.name] { secrets.add(value, shown: AddressRedaction.mark) }
      }
      if let word = words.first, let range = kind.findSecret(word) {
        secrets.add(String(word[range]), shown: AddressRedaction.mark)
        // A server may repeat a part of its address.
        let url = URL(printed: String(word[range]))
        for part in [url.map { String($0.path().dropFirst()) }, url?.query()].compactMap(\.self)
        where part.utf8.count >= Self.leastSecretBytes {
          secrets.add(part, shown: AddressRedaction.mark)
        }
      }
      return try kind.make(
        kind,
        ChannelValues(
          words: words, options: values, mayBePrivate: allowsPrivateNetwork, secrets: secrets),
        tools)
    }
  }

  /// Parses a text of the settings.
  private static func template(_ text: String) throws -> Template {
    guard text.utf8.firstRange(of: "{env:".utf8) != nil else { return Template([.literal(text)]) }
    return try Template(parsing: text, for: .setting)
  }
}

extension ChannelSettings {
  /// The settings with a variable in place of each secret that is written in them, and the values of these
  /// variables, which belong into the file of secrets. Those of a subscription stay as they are.
  ///
  /// - Parameter channel: the name of the channel, from which the names of the variables are made.
  public func separatingSecrets(
    of channel: String
  ) throws(OffersError) -> (settings: ChannelSettings, secrets: [String: String]) {
    let kind = try ChannelKind.named(kind)
    if kind.isSubscription { return (self, [:]) }
    var secrets: [String: String] = [:]
    /// A text in which a variable stands for a part.
    func separated(_ text: String, _ range: Range<String.Index>, as key: String) -> String {
      let name = Self.variable(of: channel, key)
      secrets[name] = String(text[range])
      let parts: [Template.Part] = [
        .literal(String(text[..<range.lowerBound])), .environment(name),
        .literal(String(text[range.upperBound...])),
      ]
      return Template(parts).description
    }
    func isLiteral(_ text: String) -> Bool {
      !text.isEmpty && text.utf8.firstRange(of: "{env:".utf8) == nil
    }
    var words = words
    if let word = words.first, isLiteral(word), let range = kind.findSecret(word) {
      words[0] = separated(word, range, as: "address")
    }
    var options = options
    for option in kind.options where option.isSecret {
      guard let text = options[option.name], isLiteral(text) else { continue }
      options[option.name] = separated(text, text.startIndex..<text.endIndex, as: option.name)
    }
    let settings = try ChannelSettings(
      kind: self.kind, words: words, options: options, allowsPrivateNetwork: allowsPrivateNetwork)
    return (settings, secrets)
  }

  /// The variable of a secret, such as `OFFERS_CHANNEL_PHONE_TOKEN`. Channels with different names have different ones:
  /// other characters than letters and digits stand as the hexadecimal numbers of their bytes.
  private static func variable(of channel: String, _ key: String) -> String {
    func word(_ text: String) -> String {
      var word = ""
      for byte in text.utf8 {
        if ASCII.isLetterOrDigit(byte) {
          word.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
          word += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
      }
      return word.uppercased()
    }
    return "OFFERS_CHANNEL_\(word(channel))_\(key.uppercased())"
  }

  /// The variables of the settings that `separatingSecrets(of:)` has made, which go with the channel.
  package var ownVariables: Set<String> {
    let parts = (words + options.values).flatMap { text in
      (try? Self.template(text))?.parts ?? []
    }
    return Set(
      parts.compactMap { part in
        if case .environment(let name) = part, name.hasPrefix("OFFERS_CHANNEL_") { return name }
        return nil
      })
  }
}
