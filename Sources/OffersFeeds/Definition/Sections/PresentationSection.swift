import OffersCore

/// The keys of a definition that say with which words offers are counted, and what lists show
/// beside a name.
enum PresentationSection {
  /// Reads `noun:`, `nouns:` and `byline:` of a feed's section, whose attributes have been read.
  static func read(
    _ section: [DefinitionNode.Entry], into definition: inout FeedDefinition
  ) throws {
    func find(_ key: String) -> DefinitionNode.Entry? { section.first { $0.key == key } }
    let plural = try find("nouns").map { try word($0) }
    if let entry = find("noun") {
      definition.presentation.noun = OfferNoun(try word(entry), plural: plural)
    } else if let entry = find("nouns") {
      throw entry.location.problem(
        "“nouns” is the plural of a “noun”, which is missing.", hint: "Add noun: and the singular.")
    }
    if let entry = find("byline") {
      definition.presentation.byline = try labels(entry.value, among: definition.attributes)
    }
  }

  private static func word(_ entry: DefinitionNode.Entry) throws -> String {
    let text = try entry.value.filledText(of: entry.key)
    guard OfferNoun.isNoun(text) else {
      throw entry.value.problem(
        "“\(entry.key)” is not a noun.",
        hint: "Write the word for what is counted, such as album; at most "
          + "\(OfferNoun.maximumCharacters) letters.")
    }
    return text
  }

  private static func labels(
    _ node: DefinitionNode, among attributes: [AttributeRule]
  ) throws -> [String] {
    let known = attributes.map(\.label)
    let elements = try node.elements(of: "byline")
    guard elements.count <= FeedPresentation.bylineLimit else {
      throw node.problem("“byline” has more than \(FeedPresentation.bylineLimit) labels.")
    }
    var labels: [String] = []
    for element in elements {
      let label = try element.filledText(of: "byline")
      guard known.contains(label) else {
        throw element.problem(
          "“\(label)” is not the label of an attribute.",
          hint: NearestWord.hint(for: label, among: known, title: "Attributes"))
      }
      guard !labels.contains(label) else {
        throw element.problem("“\(label)” occurs twice in byline.", hint: "Remove it.")
      }
      labels.append(label)
    }
    return labels
  }
}
