import OffersCore

/// How far a document goes along the path to its offers, and what keys stand where it leaves it.
///
/// It follows a path of plain keys alone, for a message: a wrong key is mostly a misspelt one.
struct ItemsTrail {
  private let path: [String]
  /// How many keys of the path lead to the object that is open now.
  private var depth = 0
  /// How many of the keys were met at the most.
  private var reached = 0
  /// Whether the value to come is the next one of the path.
  private var isNext = false
  private var keys: [String] = []

  private static let keyLimit = 100
  private static let keyBytes = 40

  /// - Parameter items: the paths to the offers. Of several none is followed.
  init(_ items: [FieldPath]) {
    let keys = items.first?.steps.compactMap { step -> String? in
      if case .key(let key) = step { key } else { nil }
    }
    let isPlain = items.count == 1 && keys?.count == items.first?.steps.count
    path = isPlain ? keys ?? [] : []
  }

  /// Takes the key of a member of an object within so many other values.
  mutating func take(_ key: UnsafeRawBufferPointer, level: Int) {
    guard level == depth, depth < path.count else { return }
    isNext = key.elementsEqual(path[depth].utf8)
    guard depth == reached, keys.count < Self.keyLimit else { return }
    keys.append(String(decoding: key.prefix(Self.keyBytes), as: UTF8.self))
  }

  /// An object or a list opens within so many other values.
  mutating func open(isList: Bool, level: Int) {
    guard isNext, !isList, level == depth + 1 else {
      isNext = false
      return
    }
    isNext = false
    depth += 1
    if depth > reached {
      reached = depth
      keys = []
    }
  }

  /// A value closes, and so many stay open.
  mutating func close(level: Int) { depth = min(depth, max(0, level - 1)) }

  /// What stands where the path leaves the document, and which path may be meant; nil when nothing
  /// helpful is known.
  var hint: String? {
    guard reached < path.count, !keys.isEmpty, !keys.contains(path[reached]) else { return nil }
    let owner = FieldPath(keys: Array(path.prefix(reached))).description
    let title = reached == 0 ? "The keys of the top level" : "The keys of \(owner)"
    let all = NearestWord.list(keys, title: title)
    guard let near = NearestWord.find(path[reached], among: keys) else { return all }
    var meant = path
    meant[reached] = near
    return "Did you mean \(FieldPath(keys: meant))? \(all)"
  }
}
