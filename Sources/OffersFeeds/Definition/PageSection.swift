import OffersCore

/// The part of a definition that says how to get from page to page.
enum PageSection {
  private static let keys = ["next", "total", "first", "limit"]
  /// What is written for an address in the answer's `Link` header.
  static let linkHeader = "link-header"

  static func rule(_ node: DefinitionNode) throws -> PageRule {
    var rule = PageRule()
    for entry in try node.entries(of: "pages") {
      switch entry.key {
      case "next": rule.next = try next(entry.value)
      case "total": rule.total = try entry.value.path(of: "total", in: .document)
      case "first": rule.first = try entry.value.number(of: "first", in: 0...1_000_000)
      case "limit": rule.limit = try entry.value.number(of: "limit", in: 1...10_000)
      default:
        throw entry.place.problem(
          "“\(entry.key)” is unknown in “pages”.",
          hint: NearestWord.hint(for: entry.key, among: keys, title: "Allowed"))
      }
    }
    return rule
  }

  private static func next(_ node: DefinitionNode) throws -> PageRule.Next {
    if case .text(linkHeader, _) = node.content { return .linkHeader }
    return .path(try node.path(of: "next", in: .document))
  }
}
