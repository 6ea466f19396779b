import OffersCore

/// The items of a sample: the objects and texts to which the path of the offers leads.
struct SampleItems {
  let steps: [FieldPath.Step]
  private(set) var items: [SampleValue] = []
  /// The key of each item within its parent object; empty for items of a list.
  private(set) var ownKeys: [String] = []

  private static let limit = 5000

  /// - Parameters:
  ///   - root: the sample.
  ///   - steps: the path of the offers.
  ///   - isXML: whether the sample is XML, in which a list of one looks like an element.
  ///   - takesOne: whether an object where the path leads is a list of one, as a person says.
  init(
    _ root: SampleValue, at steps: [FieldPath.Step], isXML: Bool, takesOne: Bool = false
  ) {
    self.steps = steps
    var found: [(value: SampleValue, key: String?)] = [(root, nil)]
    for step in steps {
      var next: [(value: SampleValue, key: String?)] = []
      for (value, key) in found where next.count <= Self.limit {
        if case .key(let name) = step {
          next += value.elements.compactMap(\.object).compactMap { object in
            object[name].map { ($0, key) }
          }
        } else if step == .all, case .object(let object) = value {
          next += object.members.map { ($0.value, $0.key) }
        } else if step == .all {
          next += value.elements.map { ($0, key) }
        }
      }
      found = next
    }
    let isAny = steps.last == .all
    var keys: [String?] = []
    for (value, key) in found {
      switch value {
      case .list: for element in value.elements { add(element, key, &keys) }
      case .object where isXML || isAny || takesOne || steps.isEmpty: add(value, key, &keys)
      case .text where isXML && !isAny: add(value, key, &keys)
      case .object, .text, .number, .truth, .null: break
      }
    }
    let known = keys.compactMap { $0 }
    if known.count == items.count { ownKeys = known }
  }

  private mutating func add(_ item: SampleValue, _ key: String?, _ keys: inout [String?]) {
    guard items.count < Self.limit else { return }
    switch item {
    case .object, .text, .number:
      items.append(item)
      keys.append(key)
    case .truth, .null, .list: break
    }
  }

  /// The keys of the members of the first 100 items, in the order of their first occurrence.
  var keys: [String] {
    var seen: Set<String> = []
    return items.prefix(100).compactMap(\.object).flatMap(\.members).map(\.key)
      .filter { seen.insert($0).inserted }
  }
}
