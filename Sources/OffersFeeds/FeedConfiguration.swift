import OffersCore

/// The feeds that a program can read: the shipped ones and the user's own.
public struct FeedConfiguration: Sendable {
  /// The user's own definitions, in the order of their file.
  package let own: [FeedDefinition]
  /// The sync intervals that the user chose, in seconds, by feed name. They override those of the
  /// definitions.
  private let intervals: [String: Int]
  /// Whether redirects, next pages, images, and sources that the user of this machine did not name
  /// may lead into private networks.
  package let allowsPrivateNetwork: Bool

  /// The shipped feeds alone.
  public static let shipped = FeedConfiguration(own: [])

  package init(
    own: [FeedDefinition], intervals: [String: Int] = [:], allowsPrivateNetwork: Bool = false
  ) {
    self.own = own
    self.intervals = intervals
    self.allowsPrivateNetwork = allowsPrivateNetwork
  }

  /// The shipped feeds and the feeds that a YAML text defines. A feed in the text replaces a
  /// shipped feed with the same name.
  ///
  /// - Parameters:
  ///   - yaml: the text, as the page “How a definition is written” (Definitions) describes it.
  ///   - name: the file's name, for messages.
  /// - Throws: `OffersError` with `invalidRequest`, or with `limitExceeded` for a text that is too
  ///   large, is nested too deeply or has too many aliases; the message names the line.
  public init(yaml: String, name: String) throws {
    let contents = try DefinitionFile.contents(yaml, name: name)
    self.init(
      own: contents.feeds, intervals: contents.intervals,
      allowsPrivateNetwork: contents.allowsPrivateNetwork)
  }

  /// The names of all feeds, sorted.
  public var names: [String] {
    Set(own.map(\.name)).union(FeedCatalog.names).sorted()
  }

  /// Returns the definition with this name, in which the interval that the user chose replaces the
  /// definition's own; nil when there is no such feed.
  package func find(_ name: String) throws -> FeedDefinition? {
    var definition = try own.first { $0.name == name } ?? FeedCatalog.find(name)
    if let everySeconds = intervals[name] { definition?.everySeconds = everySeconds }
    return definition
  }

  /// Whether the user chose a sync interval for the feed, apart from its definition.
  func hasInterval(of name: String) -> Bool { intervals[name] != nil }

  /// Returns the YAML of a definition: for a shipped feed its file, comments included; for the
  /// user's own feed a text made from the definition, without the user's comments.
  ///
  /// - Throws: `OffersError` with `notFound`.
  package func fetchText(_ name: String) throws -> String {
    let definition = try fetch(name)
    let isOwn = own.contains { $0.name == name }
    if !isOwn, let text = FeedCatalog.findText(of: name) { return text }
    return DefinitionText.yaml(for: definition)
  }

  /// Returns the definition with this name.
  ///
  /// - Throws: `OffersError` with `notFound`; the hint lists up to twelve feeds.
  package func fetch(_ name: String) throws -> FeedDefinition {
    if let found = try find(name) { return found }
    throw OffersError(
      .notFound, "There is no feed “\(name)”.",
      hint: NearestWord.hint(for: name, among: names, title: "Feeds"))
  }
}
