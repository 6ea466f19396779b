import OffersCore

/// A YAML file that defines how feeds are read.
///
/// ```yaml
/// feeds:
///   restaurants:
///     title: Restaurants
///     source: https://example.com/restaurants.json
///     items: restaurants
///     id: {made-from: [name, location.address]}
///     fields:
///       name: name
///       image: backgroundImageURL
///     attributes:
///       Phone: contact.formattedPhone
/// ```
package enum DefinitionFile {
  /// The largest size of a file, in bytes.
  package static let limitBytes = 1 << 20
  /// The hint for a file above `limitBytes`.
  package static let sizeHint = "A definition takes a few lines; is this the feed itself?"

  /// Parses a file; returns the feeds in the order of the file.
  ///
  /// Nothing is guessed: a single mistake refuses the whole file. YAML errors, such as a duplicate
  /// key, are reported before mistakes in definitions.
  ///
  /// - Parameters:
  ///   - yaml: the file's text.
  ///   - fileName: the file's name in messages.
  /// - Throws: `OffersError` with `invalidRequest`, or `limitExceeded` for a file that is too
  ///   large, is nested too deeply or has too many aliases; the message begins with `FILE:LINE:`.
  package static func parse(_ yaml: String, name fileName: String) throws -> [FeedDefinition] {
    try contents(yaml, name: fileName).feeds
  }

  /// Parses a text with the definition of one feed and no settings, as a database keeps it.
  ///
  /// - Throws: the errors of `parse`; `OffersError` with `invalidRequest` if the text has anything else.
  package static func parse(
    _ yaml: String, of feed: String, name fileName: String
  ) throws -> FeedDefinition {
    let contents = try contents(yaml, name: fileName)
    guard let definition = contents.feeds.first,
      contents == DefinitionContents(feeds: [definition]), definition.name == feed
    else {
      throw OffersError(
        .invalidRequest, "\(fileName) has to define \(feed), and nothing else.",
        hint: "Begin it with feeds: and \(feed): below that.")
    }
    return definition
  }

  /// Parses a file; returns everything in it.
  ///
  /// - Throws: the errors of `parse`.
  package static func contents(_ yaml: String, name fileName: String) throws -> DefinitionContents {
    let root = try DefinitionSource(yaml: yaml, file: fileName).root()
    guard case .map(let entries) = root.content else {
      throw root.problem(
        "the file is \(root.kind), not a mapping.", hint: DefinitionSource.startHint)
    }
    if entries.isEmpty {
      throw root.problem("“feeds” is missing.", hint: DefinitionSource.startHint)
    }
    var settings: [DefinitionNode.Entry] = []
    var contents = DefinitionContents()
    for entry in entries {
      switch entry.key {
      case "feeds":
        contents.feeds = try entry.value.entries(of: "feeds").map { feed in
          try FeedSection(feed).definition()
        }
      case intervalsKey:
        let intervals = try entry.value.entries(of: intervalsKey)
        contents.intervals = try everySeconds(intervals)
        settings += intervals
      case currenciesKey:
        let currencies = try entry.value.entries(of: currenciesKey)
        for currency in currencies {
          contents.currencies[currency.key] = try currency.value.currencyCode(of: currency.key)
        }
        settings += currencies
      case privateNetworkKey:
        contents.allowsPrivateNetwork = try entry.value.isTrue(of: privateNetworkKey)
      default:
        throw entry.location.problem(
          "“\(entry.key)” is unknown here.",
          hint: NearestWord.hint(
            for: entry.key, among: ["feeds", intervalsKey, currenciesKey, privateNetworkKey],
            title: "Allowed"))
      }
    }
    let names = (FeedCatalog.names + contents.feeds.map(\.name)).sorted()
    if let unknown = settings.first(where: { !names.contains($0.key) }) {
      throw unknown.location.problem(
        "There is no feed “\(unknown.key)”.",
        hint: NearestWord.hint(for: unknown.key, among: names, title: "Feeds"))
    }
    return contents
  }

  private static func everySeconds(_ entries: [DefinitionNode.Entry]) throws -> [String: Int] {
    var intervals: [String: Int] = [:]
    for entry in entries {
      let text = try entry.value.text(of: entry.key)
      intervals[entry.key] = try entry.value.understand { try IntervalText.seconds(parsing: text) }
    }
    return intervals
  }

  static let intervalsKey = "intervals"
  static let currenciesKey = "currencies"
  private static let privateNetworkKey = "allow-private-network"
}

/// The contents of a definition file.
package struct DefinitionContents: Equatable {
  package var feeds: [FeedDefinition] = []
  /// Sync intervals in seconds, by feed name, which override those of the definitions (`ibotta: 2h`
  /// below `intervals:`). This is how a user changes the interval of a shipped feed.
  package var intervals: [String: Int] = [:]
  /// The ISO 4217 codes of the feeds' currencies, by feed name, which override those of the
  /// definitions (`shop: USD` below `currencies:`).
  package var currencies: [String: String] = [:]
  /// Whether redirects, next pages, images, and sources that the user of this machine did not name
  /// may lead into private networks (`allow-private-network: true`).
  package var allowsPrivateNetwork = false
}
