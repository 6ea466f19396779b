/// The members of a document's items, in the order of their first occurrence.
struct MemberSurvey {
  private(set) var members: [SurveyedMember] = []
  /// The number of items surveyed.
  let itemCount: Int
  private var wrappers: Set<String> = []
  /// The paths that occur, the items themselves first.
  private var paths = [Path(steps: [], keys: [], depth: 0)]

  /// A path from the item. Paths are a tree, so that the keys on the way to a value are not hashed again for
  /// each value.
  private struct Path {
    let steps: [FieldPath.Step]
    let keys: [String]
    let depth: Int
    /// The index of the member with this path; nil until it has a value.
    var member: Int?
    /// The indices of the paths that are one step longer.
    var next: [FieldPath.Step: Int] = [:]
  }

  private static let depthLimit = 5
  private static let memberLimit = 400
  private static let pathLimit = 2000

  /// - Throws: `CancellationError`.
  init(_ items: [SampleValue]) throws {
    itemCount = items.count
    wrappers = Self.findWrappers(items)
    for (index, item) in items.enumerated() {
      try Task.checkCancellation()
      switch item {
      case .text(let text): add(text, item: index, at: 0)
      case .object(let object): walk(object, item: index, at: 0)
      case .truth, .null, .list: break
      }
    }
    mergeLists()
    for index in members.indices { members[index].close(itemCount: items.count) }
  }

  /// Finds objects that wrap the items' members in nearly all items, such as `node` or
  /// `attributes`.
  private static func findWrappers(_ items: [SampleValue]) -> Set<String> {
    var counts: [String: Int] = [:]
    for case .object(let item) in items {
      for (key, value) in item.members {
        guard case .object(let inner) = value, inner.leafCount() >= 2,
          FieldVocabulary.wrappers.contains(key)
        else { continue }
        counts[key, default: 0] += 1
      }
    }
    return Set(counts.filter { $0.value * 10 >= items.count * 9 }.keys)
  }

  private mutating func walk(_ object: SampleObject, item: Int, at path: Int) {
    if let text = object.text { add(text, item: item, at: path) }
    for (key, value) in object.members {
      if let next = step(.key(key), named: key, from: path) { take(value, item: item, at: next) }
    }
  }

  private mutating func take(_ value: SampleValue, item: Int, at path: Int) {
    switch value {
    case .text(let text): add(text, item: item, at: path)
    case .truth:
      if let place = place(of: path) { members[place].otherCount += 1 }
    case .null: break
    case .object(let object):
      if paths[path].keys.count < Self.depthLimit { walk(object, item: item, at: path) }
    case .list(let list):
      if paths[path].steps.last == .all { return }
      if paths[path].keys.last == "coordinates", list.count >= 2 {
        return addPoint(list, item: item, at: path)
      }
      guard let next = step(.all, named: nil, from: path) else { return }
      for element in list.elements.prefix(8) { take(element, item: item, at: next) }
    }
  }

  /// Adds the numbers of a GeoJSON point (RFC 7946, section 3.1.1) as two members: its first element as
  /// `longitude`, and the second as `latitude`.
  private mutating func addPoint(_ list: SampleList, item: Int, at path: Int) {
    for (index, name) in ["longitude", "latitude"].enumerated() {
      guard case .text(let text) = list.elements[index], text.isNumber,
        let next = step(.index(index), named: name, from: path)
      else { return }
      add(text, item: item, at: next)
    }
  }

  /// Merges members that are a single value in some items and a list in others. A path through the
  /// list fits both.
  private mutating func mergeLists() {
    var merged: [SurveyedMember] = []
    var places: [[String]: Int] = [:]
    for member in members {
      if let place = places[member.keys] {
        merged[place].merge(member)
      } else {
        places[member.keys] = merged.count
        merged.append(member)
      }
    }
    members = merged
  }

  private mutating func add(_ text: SampleText, item: Int, at path: Int) {
    if text.text.allSatisfy(\.isWhitespace) { return }
    if let place = place(of: path) { members[place].add(text, item: item) }
  }

  private mutating func place(of path: Int) -> Int? {
    if let place = paths[path].member { return place }
    if members.count >= Self.memberLimit { return nil }
    paths[path].member = members.count
    members.append(
      SurveyedMember(
        steps: paths[path].steps, keys: paths[path].keys, depth: paths[path].depth))
    return members.count - 1
  }

  /// The path with one more step; nil if there are too many paths.
  ///
  /// - Parameter key: the key of the step; nil for the elements of a list.
  private mutating func step(_ step: FieldPath.Step, named key: String?, from path: Int) -> Int? {
    if let known = paths[path].next[step] { return known }
    if paths.count >= Self.pathLimit { return nil }
    let (keys, depth) = (paths[path].keys, paths[path].depth)
    let isWrapper = keys.isEmpty && key.map(wrappers.contains) == true
    paths.append(
      Path(
        steps: paths[path].steps + [step], keys: keys + (key.map { [$0] } ?? []),
        depth: key == nil || isWrapper ? depth : depth + 1))
    paths[path].next[step] = paths.count - 1
    return paths.count - 1
  }
}
