public import Foundation

/// The content of one delivery: what happened to some offers and feeds, for one person over one channel.
///
/// All texts are in one line, without control and bidirectional characters, and have limited lengths:
/// initializers cut longer ones off. A message names at most ``mostEntries`` entries, and counts the rest.
public struct NoticeMessage: Hashable, Sendable, Identifiable {
  /// An offer or a feed of which something is told.
  public struct Entry: Hashable, Sendable {
    /// A fact about the offer as it is now, such as `reward` and `$3.00`.
    public struct Fact: Hashable, Sendable {
      /// The name, in lower case with underscores: a member of the JSON form.
      public let name: String
      /// The value as text.
      public let value: String

      /// Creates a fact.
      public init(_ name: String, _ value: String) {
        self.name = SafeText.line(name, characters: 40)
        self.value = SafeText.line(value, characters: 200)
      }
    }

    /// The name of the feed.
    public let feed: String
    /// The offer; nil for an entry about a feed.
    public let offer: OfferRef?
    /// The name of the offer or the title of the feed, at most 120 characters.
    public let name: String
    /// The change of the offer, as a sentence of at most 300 characters.
    public let sentence: String
    /// The watches that tell it, by their names or selections, at most 120 characters; nil if none does.
    public let watch: String?
    /// The http or https address of the offer's own page; nil if there is none.
    public let link: URL?
    /// The state of the offer, in the order in which it is told.
    public let facts: [Fact]
    /// The command that acts on the entry: that stars the offer, or accepts what is held back; nil for none.
    public let command: String?

    /// Creates an entry of its parts; the properties describe them. An address with another scheme than http
    /// and https is left out.
    public init(
      feed: String, offer: OfferRef? = nil, name: String, sentence: String, watch: String? = nil,
      link: URL? = nil, facts: [Fact] = [], command: String? = nil
    ) {
      self.feed = feed
      self.offer = offer
      self.name = SafeText.line(name, characters: 120)
      self.sentence = SafeText.line(sentence, characters: 300)
      self.watch = watch.map { SafeText.line($0, characters: 120) }
      self.link = NoticeMessage.webLink(link)
      self.facts = facts
      self.command = command.map { SafeText.line($0, characters: 200) }
    }

    /// The name, and what happened: `Folgers is up: $1.50, was $1.00`.
    package var text: String { sentence.isEmpty ? name : "\(name) \(sentence)" }
  }

  /// The identity of the delivery, the same at each attempt: 1 to 64 letters, digits, `-` and `_`. Other
  /// characters become `-`.
  public let id: String
  /// When the newest of the notices was written.
  public let time: Date
  /// The title, at most ``mostTitleCharacters`` characters.
  public let title: String
  /// The entries that are named.
  public let entries: [Entry]
  /// The number of further entries, which are only counted.
  public let moreCount: Int
  /// Whether the message may interrupt its reader: something ends within hours, and the reader asked for it.
  public let isUrgent: Bool
  /// The http or https address that a click on the message opens; nil for none.
  public let link: URL?
  /// The http or https address where the person changes or ends such messages; nil for none.
  public let settingsLink: URL?

  /// The most entries that a message names.
  public static let mostEntries = 20
  /// The most characters of a title.
  public static let mostTitleCharacters = 80

  /// Creates a message of its parts; the properties describe them.
  ///
  /// - Parameters:
  ///   - entries: all entries, or the first ones. Those behind the first ``mostEntries`` are counted.
  ///   - count: the number of all entries; nil for that of `entries`.
  public init(
    id: String, time: Date, title: String, entries: [Entry], count: Int? = nil,
    isUrgent: Bool = false, link: URL? = nil, settingsLink: URL? = nil
  ) {
    let scalars = id.unicodeScalars.prefix(64).map { Self.isInID($0) ? $0 : "-" }
    self.id = scalars.isEmpty ? "-" : String(String.UnicodeScalarView(scalars))
    self.time = time
    self.title = SafeText.line(title, characters: Self.mostTitleCharacters)
    self.entries = Array(entries.prefix(Self.mostEntries))
    moreCount = max(0, max(count ?? 0, entries.count).subtracting(clamped: self.entries.count))
    self.isUrgent = isUrgent
    self.link = Self.webLink(link)
    self.settingsLink = Self.webLink(settingsLink)
  }

  /// A short form, for a receiver that does not take the whole message: the first entry without its facts, its link
  /// and its command, and the number of the others.
  package var brief: NoticeMessage {
    let first = entries.prefix(1).map {
      Entry(
        feed: $0.feed, offer: $0.offer, name: $0.name, sentence: $0.sentence, watch: $0.watch)
    }
    return NoticeMessage(
      id: id, time: time, title: title, entries: first,
      count: entries.count.adding(clamped: moreCount), isUrgent: isUrgent, link: link,
      settingsLink: settingsLink)
  }

  private static func isInID(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && ASCII.isLetterOrDigit(UInt8(truncatingIfNeeded: scalar.value))
      || scalar == "-" || scalar == "_"
  }

  /// The address if it is one that a browser opens: one of another scheme could run a script.
  private static func webLink(_ link: URL?) -> URL? {
    guard let link, let scheme = link.scheme?.lowercased(), scheme == "http" || scheme == "https",
      link.host()?.isEmpty == false
    else { return nil }
    return link
  }
}
