import OffersCore

/// How to get from one page of a feed to the next, and how a page tells that there are others.
package struct PageRule: Sendable, Hashable {
  /// The place of a value that a page states about the others.
  package enum Place: Sendable, Hashable {
    /// The value is at a path of the document.
    case path(FieldPath)
    /// The value is that of a header field of the response; the name is in lower case.
    case header(String)
    /// The value is the address with `rel="next"` in the response's `Link` header (RFC 8288).
    case linkHeader
    /// The value is the id of the page's last offer.
    case lastID

    /// The path in the document; nil for another place.
    var path: FieldPath? { if case .path(let path) = self { path } else { nil } }
  }

  /// The place of the next page's address, or of the value for `{next}` in the source; nil if pages are
  /// counted, by `{page}` or `{offset}` in the source, or not followed.
  package var next: Place?
  /// The place of the value that says whether another page follows: not false, 0, null or empty.
  package var more: Place?
  /// The place of the number of pages.
  package var total: Place?
  /// The place of the number of offers on all pages.
  package var count: Place?
  /// The number of the first page, or the offset of its first offer; nil for 1 and 0.
  package var first: Int?
  /// The largest number of pages that are read by intention; nil for `defaultLimit`.
  package var limit: Int?
  /// Whether the next page may be on another host.
  package var allowsOtherHosts: Bool

  package static let defaultLimit = 20

  package init(
    next: Place? = nil, more: Place? = nil, total: Place? = nil, count: Place? = nil,
    first: Int? = nil, limit: Int? = nil, allowsOtherHosts: Bool = false
  ) {
    self.next = next
    self.more = more
    self.total = total
    self.count = count
    self.first = first
    self.limit = limit
    self.allowsOtherHosts = allowsOtherHosts
  }

  /// The number of the first page.
  package var firstPage: Int { first ?? 1 }
  /// The largest number of pages to read.
  package var pageLimit: Int { limit ?? Self.defaultLimit }

  /// The values that decide about the next page, with their keys in a definition.
  var places: [(key: String, place: Place)] {
    [("next", next), ("more", more), ("total", total), ("count", count)].compactMap { key, place in
      place.map { (key, $0) }
    }
  }

  /// Whether the text of a value of `more` says that another page follows.
  package static func saysMore(_ text: String) -> Bool {
    !text.isBlank && !["false", "0", "no", "null"].contains(text.trimmed().lowercased())
  }

  /// Whether only the responses' header fields tell that a page follows. Validators do not cover them.
  package var dependsOnHeaders: Bool {
    places.contains {
      switch $0.place {
      case .header, .linkHeader: true
      case .path, .lastID: false
      }
    }
  }
}

/// The section of a definition that says how to get from page to page.
enum PageSection {
  private static let keys = ["next", "more", "total", "count", "first", "limit", "other-hosts"]
  /// The value of `next` for an address in the response's `Link` header.
  static let linkHeader = "link-header"
  /// The value of `next` for the id of the last offer.
  static let lastID = "last-id"

  static func rule(_ node: DefinitionNode) throws -> PageRule {
    var rule = PageRule()
    for entry in try node.entries(of: "pages") {
      let (key, value) = (entry.key, entry.value)
      if key == "next" && rule.total != nil || key == "total" && rule.next != nil {
        throw entry.location.problem(
          "“next” and “total” cannot be combined.",
          hint: "Remove total: the last page has no next one.")
      }
      switch key {
      case "next": rule.next = try next(value)
      case "more": rule.more = try place(value, key)
      case "total": rule.total = try place(value, key)
      case "count": rule.count = try place(value, key)
      case "first": rule.first = try value.number(of: key, in: 0...1_000_000)
      case "limit": rule.limit = try value.number(of: key, in: 1...10_000)
      case "other-hosts": rule.allowsOtherHosts = try value.isTrue(of: key)
      default:
        throw entry.location.problem(
          "“\(key)” is unknown in “pages”.",
          hint: NearestWord.hint(for: key, among: keys, title: "Allowed"))
      }
    }
    return rule
  }

  /// Refuses values for which the source has no place, and places for which there is no value.
  static func check(_ section: [DefinitionNode.Entry], of definition: FeedDefinition) throws {
    let pages = section.first { $0.key == "pages" }
    let source = definition.source
    if definition.pages?.next == nil, source?.has(.next) == true,
      let entry = section.first(where: { $0.key == "source" })
    {
      throw entry.location.problem(
        "“{next}” in the source has no value.",
        hint: "Say where each page states it, as in pages: {next: next_cursor}.")
    }
    guard let pages, case .map(let entries) = pages.value.content else { return }
    if definition.pages?.next == .lastID, let source, !source.has(.next),
      let next = entries.first(where: { $0.key == "next" })
    {
      throw next.location.problem(
        "“last-id” has no place in the source.",
        hint: "Put {next} there, as in ?starting_after={next}.")
    }
    guard definition.pages?.next == nil,
      let total = entries.first(where: { $0.key == "total" }), let source,
      !source.hasPage, definition.search?.hasPage != true
    else { return }
    throw total.location.problem(
      "“total” says how many pages there are, and “source” has no place for a page's number.",
      hint: "Put {page} there, as in ?page={page}, or give the path of the next page's address: "
        + "next: links.next.")
  }

  private static func next(_ node: DefinitionNode) throws -> PageRule.Place {
    switch node.content {
    case .text(linkHeader, _): .linkHeader
    case .text(lastID, _): .lastID
    default: try place(node, "next")
    }
  }

  /// A path, or `{header: NAME}`.
  private static func place(_ node: DefinitionNode, _ key: String) throws -> PageRule.Place {
    guard case .map(let entries) = node.content, entries.count == 1, entries[0].key == "header"
    else { return .path(try node.path(of: key, in: .document)) }
    let name = try entries[0].value.filledText(of: "header")
    guard HeaderSection.isToken(name) else {
      throw entries[0].value.problem(
        "“\(name)” is not a valid header name.", hint: "Write one such as X-WP-TotalPages.")
    }
    return .header(name.lowercased())
  }
}
