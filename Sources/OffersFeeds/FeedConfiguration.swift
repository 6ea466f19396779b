import OffersCore

/// The feeds that a program knows how to read: the shipped ones and a person's own.
public struct FeedConfiguration: Sendable {
  /// A person's own definitions, in the order of their file.
  package let own: [FeedDefinition]
  /// How often feeds are synced by a person's own wish, in seconds by their names.
  private let intervals: [String: Int]
  /// Whether redirects, next pages and pictures may lead into private networks.
  package let allowsPrivateNetwork: Bool

  /// The feeds that ship with the program, and no others.
  public static let shipped = FeedConfiguration(own: [])

  package init(
    own: [FeedDefinition], intervals: [String: Int] = [:], allowsPrivateNetwork: Bool = false
  ) {
    self.own = own
    self.intervals = intervals
    self.allowsPrivateNetwork = allowsPrivateNetwork
  }

  /// The shipped feeds and those that a YAML text defines. A feed of a shipped one's name takes its
  /// place.
  ///
  /// - Parameters:
  ///   - yaml: the text, as `offers feeds show` prints it.
  ///   - name: the file's name, for messages.
  /// - Throws: `OffersError` with `invalidRequest`; the message names the line.
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

  /// The definition with this name, or nil.
  package func find(_ name: String) throws -> FeedDefinition? {
    var definition = try own.first { $0.name == name } ?? FeedCatalog.find(name)
    if let everySeconds = intervals[name] { definition?.everySeconds = everySeconds }
    return definition
  }

  /// Whether a person said how often a feed is synced, besides its definition.
  func hasInterval(of name: String) -> Bool { intervals[name] != nil }

  /// A definition's YAML: for a shipped feed its own file, comments included.
  ///
  /// - Throws: `OffersError` with `notFound`.
  package func fetchText(_ name: String) throws -> String {
    let definition = try fetch(name)
    let isOwn = own.contains { $0.name == name }
    if !isOwn, let text = FeedCatalog.findText(of: name) { return text }
    return DefinitionText.yaml(for: definition)
  }

  /// The definition with this name.
  ///
  /// - Throws: `OffersError` with `notFound`, naming what there is.
  package func fetch(_ name: String) throws -> FeedDefinition {
    if let found = try find(name) { return found }
    throw OffersError(
      .notFound, "There is no feed “\(name)”.",
      hint: NearestWord.hint(for: name, among: names, title: "Feeds"))
  }
}
