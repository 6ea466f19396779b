import OffersCore

/// A condition on what an element says of itself: `enclosure[picture]` are the enclosures that are
/// pictures, `link[page]` the links that lead to a page for people.
package enum LinkTargetKind: String, Sendable, Hashable, CaseIterable {
  /// A picture, by its media type or medium; if it states neither, or a type that says nothing, by
  /// the ending of its address. Never a video or a sound.
  case picture
  /// A page: an element without `rel` or with the relation `alternate` (RFC 4287, section 4.2.7.2),
  /// and a `guid` that is an address and does not say that it is none (RSS 2.0). Pages in HTML come
  /// first, and relations such as `related` last. Never `self`, an enclosure or another relation.
  case page

  /// The groups of members in which an element states what it is. Of each group the first member
  /// with a text counts; `rank` gets the texts in this order.
  var statements: [[String]] {
    switch self {
    case .picture:
      [
        ["@type", "type", "mime_type"], ["@medium", "medium"],
        ["@url", "@href", "@src", "url", "href", "src"],
      ]
    case .page: [["@rel", "rel"], ["@type", "type"], ["@isPermaLink"]]
    }
  }

  /// Whether the text of the element itself is needed.
  var needsText: Bool { self == .page }

  /// The place of an element among others: the elements with the smallest rank come first. Nil for
  /// an element that is not of this kind.
  ///
  /// - Parameters:
  ///   - statements: the texts of the element's `statements`; nil for those that it lacks.
  ///   - text: the element's own text; nil if it has none.
  func rank(_ statements: [String?], text: String?) -> Int? {
    let stated = statements.map { $0.flatMap(Self.stated) }
    switch self {
    case .picture:
      return Self.isPicture(type: stated[0], medium: stated[1], at: stated[2]) ? 0 : nil
    case .page:
      return Self.pageRank(
        relation: stated[0], type: stated[1], permalink: stated[2],
        text: text.flatMap(Self.stated))
    }
  }

  private static func stated(_ text: String) -> String? {
    let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
    return text.isEmpty ? nil : text
  }

  private static func isPicture(type: String?, medium: String?, at address: String?) -> Bool {
    let ending = address.flatMap { MediaKind($0.utf8) }
    if ending == .soundOrVideo { return false }
    if let type {
      // The type may carry parameters, or the query of the address by mistake.
      let name = type.prefix { !";?, ".contains($0) }
      let parts = name.split(scalar: "/", omittingEmptySubsequences: false)
      switch parts.first {
      case "image": return true
      case "audio", "video", "text": return false
      case "application":
        // Types of unknown bytes say nothing; the others are documents and programs.
        guard parts.last?.contains("octet-stream") == true || parts.last == "binary" else {
          return false
        }
      default:
        if parts.count == 1, MediaKind(".\(name)".utf8) == .picture { return true }
      }
    }
    if let medium { return medium == "image" }
    return ending == .picture
  }

  private static let ianaRelation = "http://www.iana.org/assignments/relation/"

  private static func pageRank(
    relation: String?, type: String?, permalink: String?, text: String?
  ) -> Int? {
    var rank = 0
    if let relation {
      let name =
        relation.hasPrefix(ianaRelation) ? relation.dropFirst(ianaRelation.count) : relation[...]
      let names = name.split(scalar: " ")
      if names.contains("alternate") {
        if names.contains("stylesheet") { return nil }
      } else if names.contains(where: { ["related", "via", "canonical", "bookmark"].contains($0) })
      {
        rank = 4
      } else {
        return nil
      }
    }
    if let permalink {
      if ["false", "no", "0"].contains(permalink) { return nil }
    } else if relation == nil, let text, !text.hasPrefix("http://"), !text.hasPrefix("https://") {
      return nil
    }
    let isPage = type.map { $0.hasPrefix("text/html") || $0.hasPrefix("application/xhtml") } ?? true
    return rank + (isPage ? 0 : 2)
  }
}
