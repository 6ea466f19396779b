import OffersCore

/// Looks up values in a record and in the document around it.
struct RecordValues {
  let record: RecordTree
  let document: RecordTree
  /// The keys of the record and of the objects around it that a `*` in the path of the items
  /// matches, the innermost last.
  var ownKeys: [[UInt8]] = []
  private var found: [Int32] = []
  /// The base of the value found last, as in `RecordTree.Node.base`.
  private(set) var base: Int32 = -1
  /// Whether the value found last is a JSON number.
  private(set) var isNumber = false

  init(record: RecordTree, document: RecordTree) {
    self.record = record
    self.document = document
  }

  /// The result of a lookup.
  enum Value {
    case none
    case text(UnsafeRawBufferPointer, isMended: Bool)
    /// A value that is neither a text nor a number, with a description such as `a list`.
    case wrong(StaticString)
  }

  /// Returns the value of a node; `none` for a null, for an empty text, and for an XML element
  /// without a text.
  @inline(__always)
  static func value(_ node: Int32, of tree: RecordTree) -> Value {
    switch tree.nodes[Int(node)].kind {
    case .text, .number, .rawText:
      guard let text = tree.decode(node), text.count > 0 else { return .none }
      return .text(text, isMended: tree.nodes[Int(node)].isMended)
    case .null: return .none
    case .truth: return .wrong("true or false")
    case .list: return .wrong("a list")
    case .object:
      if tree.nodes[Int(node)].start != nil {
        guard let text = tree.decode(node), text.count > 0 else { return .none }
        return .text(text, isMended: false)
      }
      return tree.isElements ? .none : .wrong("an object")
    }
  }

  /// Returns the first value of a source, or all its texts joined if its path has a `*`. A template
  /// has a text only if all of its parts have one.
  mutating func value(_ source: CompiledRules.Source, join: [UInt8]) -> Value {
    base = -1
    isNumber = false
    switch source {
    case .member(let shape, let steps):
      if let node = record.only(shape) {
        if node < 0 { return .none }
        note(node, of: record)
        return Self.value(node, of: record)
      }
      return search(steps, in: record, takesAll: false, join: join)
    case .path(let steps, let isFromDocument, let takesAll):
      return search(
        steps, in: isFromDocument ? document : record, takesAll: takesAll, join: join)
    case .ownKey(let level):
      guard level <= ownKeys.count else { return .none }
      return text(ownKeys[ownKeys.count - level])
    case .constant(let bytes):
      return text(bytes)
    case .template(let parts):
      var bytes: [UInt8] = []
      var isMended = false
      for part in parts {
        if case .constant(let literal) = part {
          bytes += literal
          continue
        }
        switch value(part, join: join) {
        case .text(let text, let mended):
          bytes.append(contentsOf: text)
          isMended = isMended || mended
        case let other: return other
        }
      }
      return .text(record.arena.copy(bytes), isMended: isMended)
    }
  }

  private mutating func note(_ node: Int32, of tree: RecordTree) {
    base = tree.nodes[Int(node)].base
    isNumber = tree.nodes[Int(node)].kind == .number
  }

  private func text(_ bytes: [UInt8]) -> Value {
    bytes.isEmpty ? .none : .text(record.arena.copy(bytes), isMended: false)
  }

  private mutating func search(
    _ steps: [PathTree.Step], in tree: RecordTree, takesAll: Bool, join: [UInt8]
  ) -> Value {
    // Most lookups find nothing, which the counts by shape tell without a search.
    if let last = steps.last, !last.shapes.contains(where: { tree.has($0) }) { return .none }
    tree.find(steps, into: &found)
    if found.count == 1 || !takesAll {
      guard let first = found.first else { return .none }
      let value = Self.value(first, of: tree)
      note(first, of: tree)
      // The first value may be a null or an XML element without a text; the next text is used then.
      if case .none = value, found.count > 1 {
        for node in found.dropFirst() {
          if case .text(let text, let mended) = Self.value(node, of: tree) {
            note(node, of: tree)
            return .text(text, isMended: mended)
          }
        }
      }
      if takesAll, case .wrong = value { return .none }
      return value
    }
    var bytes: [UInt8] = []
    var isMended = false
    for node in found {
      guard case .text(let text, let mended) = Self.value(node, of: tree) else { continue }
      if !bytes.isEmpty { bytes += join }
      bytes.append(contentsOf: text)
      isMended = isMended || mended
    }
    return bytes.isEmpty ? .none : .text(record.arena.copy(bytes), isMended: isMended)
  }

  /// Calls `body` with every text and number of a source, including those in lists. Returns a
  /// description of the last value of another kind, such as `an object`; nil if there is none.
  mutating func forEachText(
    of source: CompiledRules.Source,
    _ body: (_ text: UnsafeRawBufferPointer, _ isMended: Bool) -> Void
  ) -> StaticString? {
    var wrong: StaticString?
    func take(_ value: Value) {
      switch value {
      case .none: break
      case .text(let text, let isMended): body(text, isMended)
      case .wrong(let kind): wrong = kind
      }
    }
    let steps: [PathTree.Step]
    let tree: RecordTree
    switch source {
    case .member(_, let path): (steps, tree) = (path, record)
    case .path(let path, let isFromDocument, _):
      (steps, tree) = (path, isFromDocument ? document : record)
    case .ownKey, .constant, .template:
      take(value(source, join: []))
      return wrong
    }
    tree.find(steps, into: &found)
    for node in found {
      if tree.nodes[Int(node)].kind == .list {
        tree.forEachElement(of: node) { take(Self.value($0, of: tree)) }
      } else {
        take(Self.value(node, of: tree))
      }
    }
    return wrong
  }

  /// The elements of a list in the record.
  mutating func elements(of list: CompiledRules.List) -> [Int32] {
    record.find(list.steps, before: list.places.first { !$0.isEmpty }?.first, into: &found)
    return found
  }

  /// The text of an element of a list, at a place within it; nil if it has none there.
  mutating func text(
    of element: Int32, at steps: [PathTree.Step]
  ) -> (text: UnsafeRawBufferPointer, isMended: Bool)? {
    record.find(steps, from: element, into: &found)
    for node in found {
      if case .text(let text, let isMended) = Self.value(node, of: record), !text.isBlank {
        note(node, of: record)
        return (text, isMended)
      }
    }
    return nil
  }
}
