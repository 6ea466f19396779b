import OffersCore

/// Tracks how far a document matches the path of its offers, and which keys it has where the match
/// ends.
///
/// Used for a hint in messages, since a wrong key is usually misspelt. Only paths of plain keys are
/// tracked.
struct ItemsTrail {
  private let path: [String]
  /// The number of the path's keys that lead to the innermost open object on the path.
  private var depth = 0
  /// The largest value of `depth` so far.
  private var reached = 0
  /// Whether the next value belongs to the path's next key.
  private var isNext = false
  private var keys: [String] = []

  private static let keyLimit = 100
  private static let keyBytes = 40

  /// - Parameter items: the paths of the offers; nothing is tracked if there are several, or if the
  ///   path has other steps than keys.
  init(_ items: [FieldPath]) {
    let keys = items.first?.steps.compactMap { step -> String? in
      if case .key(let key) = step { key } else { nil }
    }
    let isPlain = items.count == 1 && keys?.count == items.first?.steps.count
    path = isPlain ? keys ?? [] : []
  }

  /// Records the key of a member of an object that is nested in `level` other values.
  mutating func take(_ key: String, level: Int) {
    guard level == depth, depth < path.count else { return }
    isNext = key == path[depth]
    guard depth == reached, keys.count < Self.keyLimit else { return }
    keys.append(String(decoding: key.utf8.prefix(Self.keyBytes), as: UTF8.self))
  }

  /// Records the start of an object or list that is nested in `level` other values.
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

  /// Records the end of an object or list, after which `level` objects and lists are open.
  mutating func close(level: Int) { depth = min(depth, max(0, level - 1)) }

  /// A hint with the keys where the match ends, and with the path that was probably meant; nil when
  /// nothing helpful is known.
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
