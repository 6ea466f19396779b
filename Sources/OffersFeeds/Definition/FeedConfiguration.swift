import OffersCore

/// The feeds that a program can read: the built-in ones, unless they are left out, and the user's
/// own.
public struct FeedConfiguration: Sendable {
  /// The user's own definitions, in the order of their file.
  package let own: [FeedDefinition]
  /// The sync intervals that the user chose, in seconds, by feed name. They override those of the
  /// definitions.
  private let intervals: [String: Int]
  /// The currencies that the user set, by feed name. They override those of the definitions.
  private let currencies: [String: String]
  /// Whether redirects, next pages, images, and sources that the user of this machine did not name
  /// may lead into private networks.
  package let allowsPrivateNetwork: Bool
  /// Whether the feeds that ship with the package are among the feeds.
  private let includesShipped: Bool

  /// The file with the user's own definitions, which does not exist although the user named it; nil
  /// for none. `fetch` mentions it.
  package private(set) var absentFile: String?

  /// The shipped feeds alone.
  public static let shipped = FeedConfiguration(own: [])

  package init(
    own: [FeedDefinition], intervals: [String: Int] = [:], currencies: [String: String] = [:],
    allowsPrivateNetwork: Bool = false, includesShipped: Bool = true
  ) {
    self.currencies = currencies
    self.own = own
    self.includesShipped = includesShipped
    self.intervals = intervals
    self.allowsPrivateNetwork = allowsPrivateNetwork
  }

  /// The feeds that a YAML text defines, and the shipped ones. A feed in the text replaces a shipped
  /// feed with the same name.
  ///
  /// - Parameters:
  ///   - yaml: the text, as the page “How a definition is written” (Definitions) describes it.
  ///   - name: the file's name, for messages.
  ///   - includesShipped: false for the feeds of the text alone.
  /// - Throws: `OffersError` with `invalidRequest`, or with `limitExceeded` for a text that is too
  ///   large, is nested too deeply or has too many aliases; the message names the line.
  public init(yaml: String, name: String, includesShipped: Bool = true) throws {
    let contents = try DefinitionFile.contents(yaml, name: name)
    self.init(
      own: contents.feeds, intervals: contents.intervals, currencies: contents.currencies,
      allowsPrivateNetwork: contents.allowsPrivateNetwork, includesShipped: includesShipped)
  }

  /// The shipped feeds alone, because the file with the user's own definitions does not exist.
  package static func shipped(without file: String) -> FeedConfiguration {
    var configuration = shipped
    configuration.absentFile = file
    return configuration
  }

  /// The names of all feeds, sorted.
  public var names: [String] {
    Set(own.map(\.name)).union(shippedNames).sorted()
  }

  private var shippedNames: [String] { includesShipped ? FeedCatalog.names : [] }

  /// Returns the definition with this name, in which the interval and the currency that the user set
  /// replace the definition's own; nil when there is no such feed.
  package func find(_ name: String) throws -> FeedDefinition? {
    var definition =
      try own.first { $0.name == name }
      ?? (includesShipped ? FeedCatalog.find(name) : nil)
    if let everySeconds = intervals[name] { definition?.everySeconds = everySeconds }
    if let currency = currencies[name] { definition?.currency = currency }
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
    let isOwn = isOwn(name)
    if !isOwn, let text = FeedCatalog.findText(of: name) { return text }
    return DefinitionText.yaml(for: definition)
  }

  /// Returns the definition with this name.
  ///
  /// - Throws: `OffersError` with `notFound`; the hint lists up to twelve feeds.
  package func fetch(_ name: String) throws -> FeedDefinition {
    if let found = try find(name) { return found }
    if let absentFile {
      throw OffersError(
        .notFound, "There is no feed “\(name)”, and no file \(absentFile) with feed definitions.",
        advice: Hint(
          "Check its path, or create the file.", command: "offers feeds add NAME SOURCE"))
    }
    throw OffersError(
      .notFound, "There is no feed “\(name)”.",
      hint: NearestWord.hint(for: name, among: names, title: "Feeds"))
  }

  func isOwn(_ name: String) -> Bool { own.contains { $0.name == name } }
}

extension FeedConfiguration: FeedDefinitions {
  package func defines(_ feed: String) -> Bool { isOwn(feed) || shippedNames.contains(feed) }
}
