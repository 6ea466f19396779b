/// The members of a document's items, in the order of their first occurrence.
struct MemberSurvey {
  private(set) var members: [SurveyedMember] = []
  /// The number of items surveyed.
  let itemCount: Int
  private var places: [[FieldPath.Step]: Int] = [:]
  private var wrappers: Set<String> = []

  private static let depthLimit = 5
  private static let memberLimit = 400

  init(_ items: [SampleValue]) {
    itemCount = items.count
    wrappers = Self.findWrappers(items)
    for (index, item) in items.enumerated() {
      switch item {
      case .text(let text): add(text, item: index, steps: [], keys: [], depth: 0)
      case .object(let object): walk(object, item: index, steps: [], keys: [], depth: 0)
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

  private mutating func walk(
    _ object: SampleObject, item: Int, steps: [FieldPath.Step], keys: [String], depth: Int
  ) {
    if let text = object.text { add(text, item: item, steps: steps, keys: keys, depth: depth) }
    for (key, value) in object.members {
      let isWrapper = keys.isEmpty && wrappers.contains(key)
      take(
        value, item: item, steps: steps + [.key(key)], keys: keys + [key],
        depth: depth + (isWrapper ? 0 : 1))
    }
  }

  private mutating func take(
    _ value: SampleValue, item: Int, steps: [FieldPath.Step], keys: [String], depth: Int
  ) {
    switch value {
    case .text(let text): add(text, item: item, steps: steps, keys: keys, depth: depth)
    case .truth:
      if let place = place(of: steps, keys, depth) { members[place].otherCount += 1 }
    case .null: break
    case .object(let object):
      if keys.count < Self.depthLimit {
        walk(object, item: item, steps: steps, keys: keys, depth: depth)
      }
    case .list(let list):
      if steps.last == .all { return }
      if keys.last == "coordinates", list.count >= 2 {
        return addPoint(list, item: item, steps: steps, keys: keys, depth: depth)
      }
      for element in list.elements.prefix(8) {
        take(element, item: item, steps: steps + [.all], keys: keys, depth: depth)
      }
    }
  }

  /// Adds the numbers of a GeoJSON point (RFC 7946, section 3.1.1) as two members: its first element as
  /// `longitude`, and the second as `latitude`.
  private mutating func addPoint(
    _ list: SampleList, item: Int, steps: [FieldPath.Step], keys: [String], depth: Int
  ) {
    for (index, name) in ["longitude", "latitude"].enumerated() {
      guard case .text(let text) = list.elements[index], text.isNumber else { return }
      add(
        text, item: item, steps: steps + [.index(index)], keys: keys + [name], depth: depth + 1)
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

  private mutating func add(
    _ text: SampleText, item: Int, steps: [FieldPath.Step], keys: [String], depth: Int
  ) {
    if text.text.allSatisfy(\.isWhitespace) { return }
    if let place = place(of: steps, keys, depth) { members[place].add(text, item: item) }
  }

  private mutating func place(of steps: [FieldPath.Step], _ keys: [String], _ depth: Int) -> Int? {
    if let place = places[steps] { return place }
    if members.count >= Self.memberLimit { return nil }
    places[steps] = members.count
    members.append(SurveyedMember(steps: steps, keys: keys, depth: depth))
    return members.count - 1
  }
}
