import OffersCore

/// The section of a definition that says how to get from page to page.
enum PageSection {
  private static let keys = ["next", "total", "first", "limit"]
  /// The value of `next` for an address in the response's `Link` header.
  static let linkHeader = "link-header"

  static func rule(_ node: DefinitionNode) throws -> PageRule {
    var rule = PageRule()
    for entry in try node.entries(of: "pages") {
      if entry.key == "next" && rule.total != nil || entry.key == "total" && rule.next != nil {
        throw entry.location.problem(
          "“next” and “total” cannot be combined.",
          hint: "Remove total: the last page has no next one.")
      }
      switch entry.key {
      case "next": rule.next = try next(entry.value)
      case "total": rule.total = try entry.value.path(of: "total", in: .document)
      case "first": rule.first = try entry.value.number(of: "first", in: 0...1_000_000)
      case "limit": rule.limit = try entry.value.number(of: "limit", in: 1...10_000)
      default:
        throw entry.location.problem(
          "“\(entry.key)” is unknown in “pages”.",
          hint: NearestWord.hint(for: entry.key, among: keys, title: "Allowed"))
      }
    }
    return rule
  }

  /// Refuses `total` where neither the source nor the search contains {page}.
  static func check(_ node: DefinitionNode, of definition: FeedDefinition) throws {
    guard case .map(let entries) = node.content, definition.pages?.next == nil,
      let total = entries.first(where: { $0.key == "total" }), let source = definition.source,
      !source.hasPage, definition.search?.hasPage != true
    else { return }
    throw total.location.problem(
      "“total” says how many pages there are, and “source” has no place for a page's number.",
      hint: "Put {page} there, as in ?page={page}, or give the path of the next page's address: "
        + "next: links.next.")
  }

  private static func next(_ node: DefinitionNode) throws -> PageRule.Next {
    if case .text(linkHeader, _) = node.content { return .linkHeader }
    return .path(try node.path(of: "next", in: .document))
  }
}
