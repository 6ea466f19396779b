/// Distinguishes an object that maps ids to items from an object with named members.
enum KeyedObject {
  /// Whether the members are items or lists of items: most are objects or lists of objects, and
  /// have keys that look like ids, or members with similar names.
  static func isKeyed(_ object: SampleObject) -> Bool {
    var keys: [String] = []
    var shapes: [Set<String>] = []
    var listCount = 0
    for (key, value) in object.members {
      switch value {
      case .object(let inner): shapes.append(names(of: inner))
      case .list(let list):
        let objects = list.elements.prefix(20).compactMap(\.object)
        if objects.isEmpty { continue }
        listCount += 1
        shapes.append(objects.reduce(into: []) { $0.formUnion(names(of: $1)) })
      case .text, .truth, .null: continue
      }
      keys.append(key)
    }
    guard !keys.isEmpty, keys.count * 2 > object.members.count else { return false }
    let idCount = keys.count(where: isID)
    if idCount * 5 >= keys.count * 4 { return true }
    // A key that describes its value is a name, not the id of an item.
    if keys.contains(where: isName) { return false }
    let union = shapes.reduce(into: Set<String>()) { $0.formUnion($1) }
    let total = shapes.reduce(0) { $0 + $1.count }
    if union.count < 2 || keys.count < 2 { return false }
    // Two members may be similar by chance, so a greater likeness is required of them.
    let likeness = Double(total) / Double(union.count * shapes.count)
    return likeness >= (keys.count > 2 || listCount == keys.count ? 0.6 : 0.8)
  }

  /// The keys of the members that are neither objects nor lists.
  private static func names(of object: SampleObject) -> Set<String> {
    var names: Set<String> = []
    for (key, value) in object.members {
      switch value {
      case .text, .truth, .null: names.insert(key)
      case .object, .list: break
      }
    }
    return names
  }

  /// Whether a key is a usual name for lists of offers, or for shops, people and the like.
  private static func isName(_ key: String) -> Bool {
    let words = KeyWords(key).joined
    return FieldVocabulary.containerRank(key) > 0 || FieldVocabulary.strangers.contains(words)
  }

  /// Whether a key looks like an id: only digits, or at least five bytes with three digits.
  private static func isID(_ key: String) -> Bool {
    let digits = key.utf8.count { $0 &- 0x30 < 10 }
    return digits > 0 && digits == key.utf8.count || digits >= 3 && key.utf8.count >= 5
  }
}
