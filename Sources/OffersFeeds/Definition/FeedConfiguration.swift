import OffersCore

/// The feeds that a program can read: those of the user's own file, those that a database keeps, and the
/// built-in ones, unless they are left out. Of several definitions with one name the first one of these counts.
public struct FeedConfiguration: Sendable {
  /// The user's own definitions, in the order of their file.
  package let own: [FeedDefinition]
  /// The sync intervals that the user chose, in seconds, by feed name. They override those of the
  /// definitions.
  private let intervals: [String: Int]
  /// The currencies that the user set, by feed name. They override those of the definitions.
  private let currencies: [String: String]
  /// The definitions that a database keeps, in its order, those that cannot be parsed left out.
  private var stored: [FeedDefinition] = []
  /// The texts and settings that a database keeps, by feed name.
  private var storedTexts: [String: StoredDefinition] = [:]
  /// The faults of the kept texts that cannot be parsed, by feed name.
  package private(set) var faults: [String: OffersError] = [:]
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
  public init(yaml: String, name: String, includesShipped: Bool = true) throws(OffersError) {
    let contents = try OffersError.translating { try DefinitionFile.contents(yaml, name: name) }
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

  /// Adds the definitions and settings that a database keeps. A text that cannot be parsed, such as one of a
  /// newer program, defines no feed; `find` throws its fault.
  package func including(_ definitions: [StoredDefinition]) -> FeedConfiguration {
    var all = self
    for definition in definitions {
      all.storedTexts[definition.feed] = definition
      guard let text = definition.text else { continue }
      do {
        all.stored.append(
          try DefinitionFile.parse(
            text, of: definition.feed, name: "the stored definition of \(definition.feed)"))
      } catch {
        all.faults[definition.feed] = OffersError(error)
      }
    }
    return all
  }

  /// The names of all feeds, sorted.
  public var names: [String] {
    Set(own.map(\.name)).union(stored.map(\.name)).union(shippedNames).sorted()
  }

  /// The places of definitions.
  package enum Origin: String, Sendable {
    case file, database, shipped
  }

  /// The place of the definition that counts; nil for an unknown feed.
  package func findOrigin(of name: String) -> Origin? {
    if isInFile(name) { return .file }
    if stored.contains(where: { $0.name == name }) { return .database }
    return shippedNames.contains(name) ? .shipped : nil
  }

  /// Whether a database keeps a definition that the one of the user's own file overrides.
  package func isStoredInVain(_ name: String) -> Bool {
    isInFile(name) && storedTexts[name]?.text != nil
  }

  /// The definition or the settings that a database keeps for a feed; nil for none.
  package func findStored(_ name: String) -> StoredDefinition? { storedTexts[name] }

  /// The sync interval and the currency that the user's own file sets for a feed.
  package func settings(of name: String) -> (everySeconds: Int?, currency: String?) {
    (intervals[name], currencies[name])
  }

  /// The place of a feed among those of the user's own file and of the database; nil for a shipped one.
  func position(of name: String) -> Int? {
    (own + stored).firstIndex { $0.name == name }
  }

  private var shippedNames: [String] { includesShipped ? FeedCatalog.names : [] }

  /// Returns the definition with this name, in which the interval and the currency that the user set
  /// replace the definition's own; nil when there is no such feed.
  package func find(_ name: String) throws -> FeedDefinition? {
    var definition = (own + stored).first { $0.name == name }
    if definition == nil, let fault = faults[name] { throw fault }
    if definition == nil, includesShipped { definition = try FeedCatalog.find(name) }
    let kept = storedTexts[name]
    if let everySeconds = intervals[name] ?? kept?.everySeconds {
      definition?.everySeconds = everySeconds
    }
    if let currency = currencies[name] ?? kept?.currency { definition?.currency = currency }
    return definition
  }

  /// Whether the user chose a sync interval for the feed, apart from its definition.
  func hasInterval(of name: String) -> Bool {
    (intervals[name] ?? storedTexts[name]?.everySeconds) != nil
  }

  /// Returns the YAML of a definition: of a shipped feed and of one in the database its text, comments
  /// included; of a feed in the user's file a text made from the definition, without the user's comments.
  ///
  /// - Throws: `OffersError` with `notFound`.
  package func fetchText(_ name: String) throws -> String {
    if !isInFile(name), let text = storedTexts[name]?.text ?? FeedCatalog.findText(of: name) {
      return text
    }
    return DefinitionText.yaml(for: try fetch(name))
  }

  /// Returns the definition with this name.
  ///
  /// - Throws: `OffersError` with `notFound`; the hint lists up to twelve feeds.
  package func fetch(_ name: String) throws -> FeedDefinition {
    if let found = try find(name) { return found }
    if let absentFile {
      throw OffersError(
        .notFound, "There is no feed “\(name)”, and no file \(absentFile) with feed definitions.",
        hint: Hint(
          "Check its path, or add the feed.", command: "offers feeds add NAME SOURCE"))
    }
    throw OffersError(
      .notFound, "There is no feed “\(name)”.",
      hint: NearestWord.hint(for: name, among: names, title: "Feeds"))
  }

  private func isInFile(_ name: String) -> Bool { own.contains { $0.name == name } }
}

extension FeedConfiguration: FeedDefinitions {
  package func defines(_ feed: String) -> Bool { findOrigin(of: feed) != nil }
}
