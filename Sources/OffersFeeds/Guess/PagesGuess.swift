import OffersCore

/// Finds the path of the next page's address in a sample.
///
/// Only an address counts, or a null in a member that would hold it. Page counts and cursors do not
/// say how to request a page, so nothing is guessed from them.
struct PagesGuess {
  private let items: [FieldPath.Step]
  private static let levelLimit = 3

  /// - Parameter items: the path of the offers, below which no page is searched for.
  init(items: [FieldPath.Step]) {
    self.items = items
  }

  /// Returns the path of the address; nil when there is none. A member with an address takes
  /// precedence over one that is null.
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

  /// The path of the address within the value of a member called next, and whether there is an
  /// address.
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

  /// The path of the address in a list of links, one of which has the relation `next`.
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
