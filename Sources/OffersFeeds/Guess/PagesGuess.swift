import OffersCore

/// Finds the path of the next page's address in a sample.
///
/// Only an address counts, or a null in a member that would hold it. Page counts and cursors do not
/// say how to request a page, so nothing is guessed from them.
enum PagesGuess {
  private static let nextNames: Set = [
    "next", "nextpage", "nexturl", "nextpageurl", "nextlink", "nexthref", "nextpagelink",
    "odatanextlink",
  ]
  /// Names of objects that say about the document, and not about an offer.
  private static let containers: Set = [
    "links", "link", "paging", "pagination", "pager", "meta", "metadata", "pageinfo", "page",
    "pages", "info", "cursor", "cursors", "d", "data", "response", "result",
  ]
  private static let levelLimit = 3

  /// Returns the path of the address; nil when there is none. A member with an address takes
  /// precedence over one that is null.
  ///
  /// - Parameters:
  ///   - root: the sample.
  ///   - items: the path of the offers, below which no page is searched for.
  static func findNext(in root: SampleValue, items: [FieldPath.Step]) -> FieldPath? {
    guard case .object(let object) = root else { return nil }
    let found = walk(object, [], items)
    let best = found.first(where: \.isAddress) ?? found.first
    return best.map { FieldPath(isFromDocument: true, $0.steps) }
  }

  private typealias Found = (steps: [FieldPath.Step], isAddress: Bool)

  private static func walk(
    _ object: SampleObject, _ steps: [FieldPath.Step], _ items: [FieldPath.Step]
  ) -> [Found] {
    object.members.flatMap { key, value -> [Found] in
      let here = steps + [.key(key)]
      let name = KeyWords(key).joined
      if here == items { return [] }
      if nextNames.contains(name) {
        if case .null = value { return [(here, false)] }
        return address(value).map { [(here + $0, true)] } ?? []
      }
      guard steps.count < levelLimit, containers.contains(name) || items.starts(with: here) else {
        return []
      }
      if case .object(let inner) = value { return walk(inner, here, items) }
      guard case .list(let links) = value else { return [] }
      return links.compactMap { link in
        guard link.object?["rel"]?.scalar == "next", let rest = address(link) else { return nil }
        return (here + [.matching(key: ["rel"], value: "next")] + rest, true)
      }
    }
  }

  /// The path of the address within the value of a member called next.
  private static func address(_ value: SampleValue) -> [FieldPath.Step]? {
    if case .object(let object) = value {
      return ["href", "url"].first { object[$0].flatMap(address) != nil }.map { [.key($0)] }
    }
    guard case .text(let text) = value, !text.contains(" ") else { return nil }
    return text.contains("://") || text.hasPrefix("/") || text.hasPrefix("?") ? [] : nil
  }

  /// Returns a note when members of the root say that the document is one page of several.
  static func note(for root: SampleObject?) -> String? {
    for (key, value) in root?.members ?? [] {
      let name = KeyWords(key).joined
      let isCount = ["totalpages", "pagecount", "numpages", "lastpage"].contains(name)
      guard let text = value.scalar, nextNames.contains(name) || isCount && Int(text) ?? 0 > 1
      else { continue }
      return "There are more pages (\(key) is \(text.prefix(60))); say how to get them in "
        + "pages:, or write selection: true if this page is enough."
    }
    return nil
  }
}
