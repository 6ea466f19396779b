/// The paths of a definition, compiled to a tree of keys in flat memory, so that walking it
/// performs no reference counting. Values at the same path have the same shape, which is the index
/// of their node in the tree.
///
/// The elements of a list have the shape of the list, since a definition may omit the index of an
/// element.
final class PathTree {
  /// A step of a compiled path, with the shapes of the values that it leads to.
  struct Step {
    enum Kind {
      case key
      case index(Int)
      case all
      /// Keeps the values whose text at the steps equals `value`.
      case matching([Step], value: [UInt8])
      /// Keeps the values of a kind, in the order of their ranks. `statements` are the shapes of the
      /// members in which a value states what it is.
      case ofKind(LinkTargetKind, statements: [[Int32]])
    }

    let kind: Kind
    let shapes: [Int32]
  }

  private struct Node {
    /// The start of the key in `keys`; negative for a node without a key.
    var keyStart = -1
    var keyCount = 0
    /// The first of the children, which are contiguous.
    var firstChild: Int32 = 0
    var childCount: Int32 = 0
    /// The shape of the members that a `*` matches and whose keys are not among the children;
    /// negative if no path has a `*` here.
    var any: Int32 = -1
    var wantsValue = false
    var wantsElements = false
    var wantsAttributes = false
    /// The index, among the paths of items, of the one that ends here; negative for none.
    var itemsRank: Int32 = -1
    /// Whether an object here is an item itself: the last step of a path of items is a `*` that
    /// matches its key.
    var isItem = false
    /// The index of the list element in which the items are; negative when they are in all
    /// elements.
    var itemsIndex: Int32 = -1
  }

  private let nodes: UnsafeMutablePointer<Node>
  private let keys: UnsafeMutablePointer<UInt8>
  let count: Int

  /// The shape of the value at which all paths start.
  static let root: Int32 = 0

  /// - Parameters:
  ///   - paths: the paths of the values.
  ///   - items: the paths of the items, for the tree of a document; empty for the tree of an item.
  init(_ paths: [[FieldPath.Step]], items: [[FieldPath.Step]] = []) {
    let draft = Draft()
    for path in paths { draft.insert(path[...]) { $0.wantsValue = true } }
    for (rank, path) in items.enumerated() { draft.insertItems(path[...], Int32(rank)) }
    draft.shareMembers()
    var built = [Node()]
    var text: [UInt8] = []
    var rest: [(Int, Draft)] = [(0, draft)]
    // Breadth first, so that the children of a node are contiguous.
    while !rest.isEmpty {
      let (node, draft) = rest.removeFirst()
      built[node].wantsValue = draft.wantsValue
      built[node].wantsElements = draft.wantsElements
      built[node].itemsRank = draft.itemsRank
      built[node].isItem = draft.isItem
      built[node].itemsIndex = draft.itemsIndex
      built[node].wantsAttributes = draft.children.contains { $0.key.utf8.first == 0x40 }
      built[node].firstChild = Int32(built.count)
      built[node].childCount = Int32(draft.children.count)
      for (key, child) in draft.children {
        let key = Array(key.utf8)
        rest.append((built.count, child))
        built.append(Node(keyStart: text.count, keyCount: key.count))
        text += key
      }
      if let any = draft.any {
        built[node].any = Int32(built.count)
        rest.append((built.count, any))
        built.append(Node())
      }
    }
    count = built.count
    nodes = .allocate(capacity: built.count)
    nodes.initialize(from: built, count: built.count)
    keys = .allocate(capacity: max(1, text.count))
    keys.initialize(from: text, count: text.count)
  }

  deinit {
    nodes.deallocate()
    keys.deallocate()
  }

  /// Whether the path of a value ends at a shape.
  @inline(__always)
  func wantsValue(_ shape: Int32) -> Bool { nodes[Int(shape)].wantsValue }

  /// Whether a path continues from a shape with a key or a `*`, so that members of an object with
  /// this shape are needed.
  @inline(__always)
  func wantsMembers(_ shape: Int32) -> Bool {
    let node = nodes[Int(shape)]
    return node.childCount > 0 || node.any >= 0
  }

  /// Whether a path selects elements of a list with a shape: by an index, a `*` or a condition.
  @inline(__always)
  func wantsElements(_ shape: Int32) -> Bool { nodes[Int(shape)].wantsElements }

  /// The index, among the paths of items, of the one that ends at a shape, so that a list with this
  /// shape contains items; nil for none.
  @inline(__always)
  func itemsRank(_ shape: Int32) -> Int32? {
    let rank = nodes[Int(shape)].itemsRank
    return rank < 0 ? nil : rank
  }

  /// Whether a path of items ends at a child of a shape, so that an XML element with this shape and
  /// without such children is an empty list of items.
  func hasItemsBelow(_ shape: Int32) -> Bool {
    let node = nodes[Int(shape)]
    let children = node.firstChild..<node.firstChild + node.childCount
    return children.contains { itemsRank($0) != nil }
      || node.any >= 0 && itemsRank(node.any) != nil
  }

  /// Whether an object with a shape is an item itself, because the last step of a path of items is
  /// a `*` that matches its key.
  func isItem(_ shape: Int32) -> Bool { nodes[Int(shape)].isItem }

  /// The index of the element that contains the items, in a list with a shape; nil when all
  /// elements do.
  func itemsIndex(_ shape: Int32) -> Int32? {
    let index = nodes[Int(shape)].itemsIndex
    return index < 0 ? nil : index
  }

  /// Whether a shape is that of the members of `parent` that only a `*` matches.
  func isAny(_ shape: Int32, of parent: Int32) -> Bool { nodes[Int(parent)].any == shape }

  /// Whether a path continues from a shape with a `*`.
  func hasAny(_ shape: Int32) -> Bool { nodes[Int(shape)].any >= 0 }

  /// The shape of the member with a key, in an object with a shape; negative when no path needs it.
  @inline(__always)
  func child(of shape: Int32, _ key: UnsafeRawBufferPointer) -> Int32 {
    let node = nodes[Int(shape)]
    var child = node.firstChild
    let end = child + node.childCount
    while child < end {
      let candidate = nodes[Int(child)]
      if candidate.keyCount == key.count {
        let start = keys + candidate.keyStart
        var offset = 0
        while offset < key.count, start[offset] == key[offset] { offset += 1 }
        if offset == key.count { return child }
      }
      child += 1
    }
    return node.any
  }

  /// Whether a path selects an attribute of an XML element with a shape.
  @inline(__always)
  func wantsAttributes(_ shape: Int32) -> Bool { nodes[Int(shape)].wantsAttributes }

  /// The shape of the attribute with a name, without `@`, in an XML element with a shape; negative
  /// when no path needs it.
  func attribute(of shape: Int32, _ name: UnsafeRawBufferPointer) -> Int32 {
    let node = nodes[Int(shape)]
    for child in node.firstChild..<node.firstChild + node.childCount {
      let candidate = nodes[Int(child)]
      let key = UnsafeBufferPointer(start: keys + candidate.keyStart, count: candidate.keyCount)
      if key.first == 0x40, key.dropFirst().elementsEqual(name) { return child }
    }
    return -1
  }

  /// Compiles a path that was passed to `init` as the path of a value.
  func compile(_ path: [FieldPath.Step]) -> [Step] {
    compile(path[...], from: [Self.root])
  }

  private func compile(_ path: ArraySlice<FieldPath.Step>, from start: [Int32]) -> [Step] {
    var shapes = start
    var steps: [Step] = []
    for step in path {
      switch step {
      case .key(let key):
        shapes = shapes.map { shape in
          Array(key.utf8).withUnsafeBytes { child(of: shape, $0) }
        }.filter { $0 >= 0 }
        steps.append(Step(kind: .key, shapes: shapes))
      case .index(let index):
        steps.append(Step(kind: .index(index), shapes: shapes))
      case .all:
        shapes += shapes.flatMap { shape -> [Int32] in
          let node = nodes[Int(shape)]
          let children = Array(node.firstChild..<node.firstChild + node.childCount)
          return children + (node.any >= 0 ? [node.any] : [])
        }
        steps.append(Step(kind: .all, shapes: shapes))
      case .matching(let key, let value):
        let below = compile(key.map(FieldPath.Step.key)[...], from: shapes)
        steps.append(Step(kind: .matching(below, value: Array(value.utf8)), shapes: shapes))
      case .kind(let kind):
        let statements = kind.statements.map { group in
          group.flatMap { key in
            shapes.map { shape in Array(key.utf8).withUnsafeBytes { child(of: shape, $0) } }
          }.filter { $0 >= 0 }
        }
        steps.append(Step(kind: .ofKind(kind, statements: statements), shapes: shapes))
      case .ownKey:
        break
      }
    }
    return steps
  }
}

extension PathTree {
  /// A node while the tree is being built.
  private final class Draft {
    var children: [(key: String, node: Draft)] = []
    var any: Draft?
    var wantsValue = false
    var wantsElements = false
    var itemsRank: Int32 = -1
    var isItem = false
    var itemsIndex: Int32 = -1

    func insert(_ path: ArraySlice<FieldPath.Step>, _ mark: (Draft) -> Void) {
      guard let step = path.first else { return mark(self) }
      let rest = path.dropFirst()
      switch step {
      case .key(let key):
        child(key).insert(rest, mark)
      case .index:
        wantsElements = true
        insert(rest, mark)
      case .matching(let key, _):
        wantsElements = true
        insert(key.map(FieldPath.Step.key)[...]) { $0.wantsValue = true }
        insert(rest, mark)
      case .kind(let kind):
        wantsElements = true
        wantsValue = wantsValue || kind.needsText
        for key in kind.statements.joined() { child(key).wantsValue = true }
        insert(rest, mark)
      case .all:
        wantsElements = true
        insert(rest, mark)
        let any = any ?? Draft()
        self.any = any
        any.insert(rest, mark)
      case .ownKey:
        break
      }
    }

    /// Adds a path of items. A list at its end contains the items. If its last step is a `*`, an
    /// object that this step matches as a member is an item itself.
    ///
    /// - Parameters:
    ///   - path: the steps of the path from this node on. Negative indices and conditions count as
    ///     `*` for lists.
    ///   - rank: the index of the whole path among the paths of items.
    ///   - isMember: whether the step that led to this node is a `*` that matches members.
    func insertItems(
      _ path: ArraySlice<FieldPath.Step>, _ rank: Int32, isMember: Bool = false
    ) {
      guard let step = path.first else {
        if itemsRank < 0 { itemsRank = rank }
        isItem = isItem || isMember
        return
      }
      let rest = path.dropFirst()
      switch step {
      case .key(let key):
        child(key).insertItems(rest, rank)
      case .index(let index):
        wantsElements = true
        if index >= 0 { itemsIndex = Int32(clamping: index) }
        insertItems(rest, rank)
      case .matching, .kind:
        wantsElements = true
        insertItems(rest, rank)
      case .all:
        wantsElements = true
        // Nested lists are flattened, so that one list consumes several `*` in a row.
        insertItems(path.drop { $0 == .all }, rank)
        let any = any ?? Draft()
        self.any = any
        any.insertItems(rest, rank, isMember: true)
      case .ownKey:
        break
      }
    }

    private func child(_ key: String) -> Draft {
      if let found = children.first(where: { $0.key == key }) { return found.node }
      let made = Draft()
      children.append((key, made))
      return made
    }

    /// Merges the node of a `*` into its siblings with a key, whose members the `*` matches as
    /// well; in this node and all below it.
    func shareMembers() {
      if let any { for (_, child) in children { child.take(any) } }
      for (_, child) in children { child.shareMembers() }
      any?.shareMembers()
    }

    private func take(_ other: Draft) {
      wantsValue = wantsValue || other.wantsValue
      wantsElements = wantsElements || other.wantsElements
      if itemsRank < 0 { itemsRank = other.itemsRank }
      isItem = isItem || other.isItem
      if itemsIndex < 0 { itemsIndex = other.itemsIndex }
      for (key, node) in other.children { child(key).take(node) }
      if let otherAny = other.any {
        let any = any ?? Draft()
        self.any = any
        any.take(otherAny)
      }
    }
  }
}
