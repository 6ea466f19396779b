import OffersCore

/// Finds where a sample's document says the address of its next page.
///
/// Only an address counts, or a null where one would stand on an earlier page. Page counts and
/// cursors say nothing of how to ask for a page, so nothing is guessed from them.
struct PagesGuess {
  private let items: [FieldPath.Step]
  private static let levelLimit = 3

  /// - Parameter items: where the offers stand, in which no page is looked for.
  init(items: [FieldPath.Step]) {
    self.items = items
  }

  /// The path to the address; nil where the document has none. What has an address goes before what
  /// is null.
  func findNext(in root: SampleValue) -> FieldPath? {
    guard case .object(let object) = root else { return nil }
    var found: [(steps: [FieldPath.Step], isAddress: Bool)] = []
    walk(object, [], level: 0, into: &found)
    let best = found.first(where: \.isAddress) ?? found.first
    return best.map { FieldPath(isFromDocument: true, $0.steps) }
  }

  private func walk(
    _ object: SampleObject, _ steps: [FieldPath.Step], level: Int,
    into found: inout [(steps: [FieldPath.Step], isAddress: Bool)]
  ) {
    for (key, value) in object.members {
      let here = steps + [.key(key)]
      if here == items { continue }
      if Self.nextNames.contains(KeyWords(key).joined) {
        if let (rest, isAddress) = Self.address(value) { found.append((here + rest, isAddress)) }
        continue
      }
      let isOnTheWay = items.starts(with: here)
      let isAround = Self.containers.contains(KeyWords(key).joined)
      guard level < Self.levelLimit, isOnTheWay || isAround else { continue }
      switch value {
      case .object(let inner): walk(inner, here, level: level + 1, into: &found)
      case .list(let list) where isAround && !isOnTheWay:
        if let path = Self.nextOfList(list) { found.append((here + path, true)) }
      case .list, .text, .truth, .null: break
      }
    }
  }

  /// Where in a value called next the address stands, and whether one does.
  private static func address(_ value: SampleValue) -> (rest: [FieldPath.Step], isAddress: Bool)? {
    switch value {
    case .null: return ([], false)
    case .text(let text): return isAddress(text.text) ? ([], true) : nil
    case .object(let object):
      for key in ["href", "url", "@href"] {
        if case .text(let text)? = object[key], isAddress(text.text) { return ([.key(key)], true) }
      }
      return nil
    case .list, .truth: return nil
    }
  }

  /// A list of links of which one says that it is the next page's.
  private static func nextOfList(_ list: SampleList) -> [FieldPath.Step]? {
    for case .object(let object) in list.elements {
      for rel in ["rel", "@rel"] {
        guard case .text(let name)? = object[rel], name.text == "next",
          let found = address(.object(object)), found.isAddress
        else { continue }
        return [.matching(key: [rel], value: "next")] + found.rest
      }
    }
    return nil
  }

  private static func isAddress(_ text: String) -> Bool {
    !text.contains(" ")
      && (text.contains("://") || text.hasPrefix("/") || text.hasPrefix("?"))
  }

  private static let nextNames: Set = [
    "next", "nextpage", "nexturl", "nextpageurl", "nextlink", "nexthref", "nextpagelink",
    "odatanextlink",
  ]

  private static let containers: Set = [
    "links", "link", "paging", "pagination", "pager", "meta", "metadata", "pageinfo", "page",
    "pages", "info", "cursor", "cursors", "d", "data", "response", "result",
  ]
}
