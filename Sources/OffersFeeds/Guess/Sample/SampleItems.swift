/// The items of a sample, which is a document whose definition is being guessed: the objects and texts to which
/// the path of the offers leads.
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
      for (value, key) in found {
        switch step {
        case .key(let name):
          for element in value.elements {
            if case .object(let object) = element, let member = object[name] {
              next.append((member, key))
            }
          }
        case .all:
          if case .object(let object) = value {
            next += object.members.map { ($0.value, $0.key) }
          } else {
            next += value.elements.map { ($0, key) }
          }
        case .index, .matching, .kind, .ownKey: break
        }
        if next.count > Self.limit { break }
      }
      found = next
    }
    let isAny = steps.last == .all
    var keys: [String?] = []
    for (value, key) in found {
      if case .list = value {
        for element in value.elements { add(element, key, &keys) }
      } else if case .object = value, isXML || isAny || takesOne || steps.isEmpty {
        add(value, key, &keys)
      } else if isXML, !isAny {
        add(value, key, &keys)
      }
    }
    let known = keys.compactMap { $0 }
    if known.count == items.count { ownKeys = known }
  }

  /// The keys of the members of the first 100 items, in the order of their first occurrence.
  var keys: [String] {
    var seen: Set<String> = []
    return items.prefix(100).flatMap { item -> [String] in
      guard case .object(let object) = item else { return [] }
      return object.members.map(\.key).filter { seen.insert($0).inserted }
    }
  }

  private mutating func add(_ item: SampleValue, _ key: String?, _ keys: inout [String?]) {
    guard items.count < Self.limit else { return }
    switch item {
    case .object, .text:
      items.append(item)
      keys.append(key)
    case .truth, .null, .list: break
    }
  }
}
