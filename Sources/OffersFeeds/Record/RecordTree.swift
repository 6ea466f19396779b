import OffersCore

/// The values of a record that the paths of a definition need, as a tree in flat memory. The reader
/// of a format adds them and leaves out all others; they are then searched for by path.
final class RecordTree {
  /// The kind of a value.
  enum Kind: UInt8 {
    /// A text in UTF-8 without escapes: a JSON text that was decoded, or an XML attribute.
    case text
    /// A JSON text as the document prints it, without its quotes: its escapes are not resolved yet.
    case rawText
    case number
    case truth
    case null
    /// A JSON object, or an XML element, which has the text of all its content if a path needs it.
    case object
    case list
  }

  struct Node {
    var shape: Int32
    var kind: Kind
    /// For a raw text: whether it contains escapes.
    var hasEscapes = false
    /// For a raw text: whether it contains bytes outside ASCII.
    var hasNonASCII = false
    /// True when a part of the text was invalid and has been replaced.
    var isMended = false
    /// True when a later value with the same key has replaced it.
    var isReplaced = false
    var parent: Int32
    var next: Int32 = -1
    var firstChild: Int32 = -1
    var lastChild: Int32 = -1
    /// The index in `bases` of the base of the value's relative links; negative for the document's
    /// address.
    var base: Int32 = -1
    var start: UnsafePointer<UInt8>?
    var count = 0

    var text: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
  }

  let paths: PathTree
  /// The bases that the elements around and in the record declare (`xml:base`).
  var bases: [LinkResolver] = []
  /// True when the objects are XML elements, which can have both a text and children.
  var isElements = false
  let arena = TextArena()
  let decoder: JSONTextDecoder
  /// The properties that are accessed for every value. They are allocated separately, since Swift
  /// checks each access to a class's property for exclusivity.
  private struct State {
    var nodes: UnsafeMutablePointer<Node>
    var count = 0
    var capacity = 64
    /// Whether the record repeats a key, so that an earlier value no longer counts. It is not known then
    /// how many values a shape has.
    var hasReplaced = false
    var isFull = false
  }

  private let state: UnsafeMutablePointer<State>

  @inline(__always)
  var nodes: UnsafeMutablePointer<Node> { state.pointee.nodes }
  @inline(__always)
  var count: Int { state.pointee.count }

  /// The maximum number of values that are kept of a record. A node takes much more memory than the
  /// two bytes of the document (`0,`) that may produce it.
  static let valueLimit = 1 << 18

  /// Whether values of the record were left out because it has more than `valueLimit`.
  var isFull: Bool { state.pointee.isFull }

  /// Whether there is no room for another value; `isFull` is set then. To be called before
  /// `append`.
  @inline(__always)
  func hasNoRoom() -> Bool {
    if count < Self.valueLimit { return false }
    state.pointee.isFull = true
    return true
  }

  /// For each shape, the number of values with it, and the indices of the first and the last of
  /// them. After a replacement every number is at least 2.
  private let met: UnsafeMutablePointer<(count: Int32, first: Int32, last: Int32)>

  init(_ paths: PathTree) {
    self.paths = paths
    decoder = JSONTextDecoder(arena: arena)
    state = .allocate(capacity: 1)
    state.initialize(to: State(nodes: .allocate(capacity: 64)))
    met = .allocate(capacity: paths.count)
    met.initialize(repeating: (0, -1, -1), count: paths.count)
  }

  deinit {
    nodes.deallocate()
    state.deallocate()
    met.deallocate()
  }

  /// Empties the tree for the next record.
  @inline(__always)
  func reset() {
    if state.pointee.hasReplaced { return resetAll() }
    for index in 0..<count { met[Int(nodes[index].shape)] = (0, -1, -1) }
    state.pointee.count = 0
    state.pointee.isFull = false
    arena.reset()
  }

  /// Adds a value below its parent, and returns its index in `nodes`.
  ///
  /// - Parameters:
  ///   - shape: the shape of the value in the tree's paths.
  ///   - kind: the kind of the value.
  ///   - parent: the index of the parent's node; -1 for the root.
  ///   - start: the value's text, which is not copied; nil for none.
  ///   - length: the number of bytes of the text.
  @inline(__always)
  @discardableResult
  func append(
    _ shape: Int32, _ kind: Kind, to parent: Int32, start: UnsafePointer<UInt8>? = nil,
    count length: Int = 0
  ) -> Int32 {
    if count == state.pointee.capacity { grow() }
    let index = Int32(count)
    nodes[count] = Node(shape: shape, kind: kind, parent: parent, start: start, count: length)
    state.pointee.count += 1
    if parent >= 0 {
      let last = nodes[Int(parent)].lastChild
      if last >= 0 {
        nodes[Int(last)].next = index
      } else {
        nodes[Int(parent)].firstChild = index
      }
      nodes[Int(parent)].lastChild = index
    }
    if met[Int(shape)].count == 0 { met[Int(shape)].first = index }
    met[Int(shape)].count += 1
    met[Int(shape)].last = index
    return index
  }

  /// Returns the index of the only value with a shape; a negative number when there is none; nil
  /// when there are several, or when a value of the record was replaced.
  @inline(__always)
  func only(_ shape: Int32) -> Int32? {
    let met = met[Int(shape)]
    return met.count > 1 ? nil : met.first
  }

  /// Whether there is a value with a shape; true for all shapes once a value was replaced.
  @inline(__always)
  func has(_ shape: Int32) -> Bool { met[Int(shape)].count > 0 }

  /// Excludes the value with a shape below `parent` from searches, if there is one, because a later
  /// value with the same key is about to be added: of a repeated key the last value counts.
  func replace(_ shape: Int32, below parent: Int32) {
    // The last value of the shape is the earlier value, or an element within it.
    var earlier = met[Int(shape)].last
    while earlier >= 0, nodes[Int(earlier)].parent != parent {
      earlier = nodes[Int(earlier)].parent
    }
    guard earlier >= 0 else { return }
    nodes[Int(earlier)].isReplaced = true
    if state.pointee.hasReplaced { return }
    state.pointee.hasReplaced = true
    // The values below it are excluded as well, so every shape must look as if it had several
    // values, which disables `only`.
    for shape in 0..<paths.count { met[shape].count += 2 }
  }

  private func resetAll() {
    state.pointee.hasReplaced = false
    state.pointee.count = 0
    state.pointee.isFull = false
    met.update(repeating: (0, -1, -1), count: paths.count)
    arena.reset()
  }

  private func grow() {
    let capacity = 2 * state.pointee.capacity
    let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity)
    larger.moveInitialize(from: nodes, count: count)
    nodes.deallocate()
    state.pointee.nodes = larger
    state.pointee.capacity = capacity
  }
}
