import OffersCore

/// A YAML file that says how feeds are read.
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
  /// The most bytes that a file may have.
  package static let limitBytes = 1 << 20
  /// What to think of a file that has more.
  package static let sizeHint = "A definition takes a few lines; is this the feed itself?"

  /// Understands a file; the feeds come in the order written.
  ///
  /// Nothing is guessed: the first mistake, from the top, refuses the whole file. What is no YAML,
  /// a key that stands twice included, comes before what is no definition.
  ///
  /// - Parameter fileName: what messages call the file.
  /// - Throws: `OffersError` with `invalidRequest`, or `limitExceeded` for a file that is too
  ///   large; the message begins with `FILE:LINE:`.
  package static func parse(_ yaml: String, name fileName: String) throws -> [FeedDefinition] {
    try contents(yaml, name: fileName).feeds
  }

  /// What a file says: its feeds, and whether they may lead into private networks
  /// (`allow-private-network: true`).
  ///
  /// - Throws: as `parse`.
  package static func contents(
    _ yaml: String, name fileName: String
  ) throws -> (feeds: [FeedDefinition], allowsPrivateNetwork: Bool) {
    let root = try DefinitionSource(yaml: yaml, file: fileName).root()
    guard case .map(let entries) = root.content else {
      throw root.problem(
        "the file is \(root.kind), not a mapping.", hint: DefinitionSource.startHint)
    }
    var definitions: [FeedDefinition]?
    var allowsPrivateNetwork = false
    for entry in entries {
      switch entry.key {
      case "feeds":
        definitions = try entry.value.entries(of: "feeds").map { feed in
          try FeedSection(feed).definition()
        }
      case privateNetworkKey:
        allowsPrivateNetwork = try entry.value.isTrue(of: privateNetworkKey)
      default:
        throw entry.place.problem(
          "“\(entry.key)” is unknown here.",
          hint: NearestWord.hint(
            for: entry.key, among: ["feeds", privateNetworkKey], title: "Allowed"))
      }
    }
    guard let definitions else {
      throw root.problem("“feeds” is missing.", hint: DefinitionSource.startHint)
    }
    return (definitions, allowsPrivateNetwork)
  }

  private static let privateNetworkKey = "allow-private-network"
}
