import OffersCore

/// The definition's paths as a tree of keys, laid out flat so that a walk over it touches no
/// reference counts.
final class FieldTree {
  private struct Node {
    /// The key's place in `keys`.
    var keyStart = 0
    var keyCount = 0
    /// The children stand side by side.
    var firstChild = 0
    var childCount = 0
    var field: OfferField?
  }

  private let nodes: UnsafeMutablePointer<Node>
  private let keys: UnsafeMutablePointer<UInt8>

  /// The node that stands for the record itself.
  static let root = 0

  /// - Parameter fields: for each field the keys that lead to it from the record.
  init(fields: [OfferField: [String]]) {
    var built = [Node()]
    var text: [UInt8] = []
    var paths: [(node: Int, rest: [(field: OfferField, path: ArraySlice<String>)])] = [
      (0, fields.map { ($0.key, $0.value[...]) }.sorted { $0.0.rawValue < $1.0.rawValue })
    ]
    // Breadth first, so that the children of a node get neighbouring places.
    while !paths.isEmpty {
      let (node, rest) = paths.removeFirst()
      built[node].field = rest.first { $0.path.isEmpty }?.field
      var names: [String] = []
      for name in rest.compactMap(\.path.first) where !names.contains(name) { names.append(name) }
      built[node].firstChild = built.count
      built[node].childCount = names.count
      for name in names {
        let key = Array(name.utf8)
        let below = rest.filter { $0.path.first == name }.map { ($0.field, $0.path.dropFirst()) }
        paths.append((built.count, below))
        built.append(Node(keyStart: text.count, keyCount: key.count))
        text += key
      }
    }
    nodes = .allocate(capacity: built.count)
    nodes.initialize(from: built, count: built.count)
    keys = .allocate(capacity: max(1, text.count))
    keys.initialize(from: text, count: text.count)
  }

  deinit {
    nodes.deallocate()
    keys.deallocate()
  }

  @inline(__always)
  func field(of node: Int) -> OfferField? { nodes[node].field }

  @inline(__always)
  func hasChildren(_ node: Int) -> Bool { nodes[node].childCount > 0 }

  /// The nodes right below a node.
  @inline(__always)
  func children(of node: Int) -> Range<Int> {
    nodes[node].firstChild..<nodes[node].firstChild + nodes[node].childCount
  }

  /// The child with a key, or nil.
  @inline(__always)
  func child(of node: Int, _ key: UnsafeRawBufferPointer) -> Int? {
    for child in children(of: node) where nodes[child].keyCount == key.count {
      let start = keys + nodes[child].keyStart
      var offset = 0
      while offset < key.count, start[offset] == key[offset] { offset += 1 }
      if offset == key.count { return child }
    }
    return nil
  }
}
