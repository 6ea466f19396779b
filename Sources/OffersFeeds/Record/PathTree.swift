/// The paths that a definition takes values from, as a tree of keys, laid out flat so that a walk
/// over it touches no reference counts. Each of its places has a number, its shape: values of the
/// same shape stand at the same path.
///
/// The elements of a list have the list's own shape, since a definition may leave out which element
/// it means.
final class PathTree {
  /// What a path compiles to: for each step the shapes that the values it leads to may have.
  struct Step {
    enum Kind {
      case key
      case index(Int)
      case all
      /// Keeps the values whose texts at the steps equal the bytes.
      case matching([Step], value: [UInt8])
    }

    let kind: Kind
    let shapes: [Int32]
  }

  private struct Place {
    /// Below 0 for what has no key of its own.
    var keyStart = -1
    var keyCount = 0
    /// The children stand side by side.
    var firstChild: Int32 = 0
    var childCount: Int32 = 0
    /// The shape of members whatever their key; none below 0.
    var any: Int32 = -1
    var wantsValue = false
    var wantsElements = false
    var wantsAttributes = false
    /// Which of the paths to items ends here; none below 0.
    var itemsRank: Int32 = -1
    /// Whether an object here is an item, found by any key.
    var isItem = false
    /// Which element of a list here leads to items; below 0 when each does.
    var itemsIndex: Int32 = -1
  }

  private let places: UnsafeMutablePointer<Place>
  private let keys: UnsafeMutablePointer<UInt8>
  let count: Int

  /// The shape of what all paths start from.
  static let root: Int32 = 0

  /// - Parameters:
  ///   - paths: the paths values are taken from.
  ///   - items: the paths where the items stand, in a tree over a document.
  init(_ paths: [[FieldPath.Step]], items: [[FieldPath.Step]] = []) {
    let draft = Draft()
    for path in paths { draft.insert(path[...]) { $0.wantsValue = true } }
    for (rank, path) in items.enumerated() { draft.insertItems(path[...], Int32(rank)) }
    draft.shareMembers()
    var built = [Place()]
    var text: [UInt8] = []
    var rest: [(Int, Draft)] = [(0, draft)]
    // Breadth first, so that the children of a place get neighbouring numbers.
    while !rest.isEmpty {
      let (place, draft) = rest.removeFirst()
      built[place].wantsValue = draft.wantsValue
      built[place].wantsElements = draft.wantsElements
      built[place].itemsRank = draft.itemsRank
      built[place].isItem = draft.isItem
      built[place].itemsIndex = draft.itemsIndex
      built[place].wantsAttributes = draft.children.contains { $0.key.utf8.first == 0x40 }
      built[place].firstChild = Int32(built.count)
      built[place].childCount = Int32(draft.children.count)
      for (key, child) in draft.children {
        let key = Array(key.utf8)
        rest.append((built.count, child))
        built.append(Place(keyStart: text.count, keyCount: key.count))
        text += key
      }
      if let any = draft.any {
        built[place].any = Int32(built.count)
        rest.append((built.count, any))
        built.append(Place())
      }
    }
    count = built.count
    places = .allocate(capacity: built.count)
    places.initialize(from: built, count: built.count)
    keys = .allocate(capacity: max(1, text.count))
    keys.initialize(from: text, count: text.count)
  }

  deinit {
    places.deallocate()
    keys.deallocate()
  }

  /// Whether a path ends here.
  @inline(__always)
  func wantsValue(_ shape: Int32) -> Bool { places[Int(shape)].wantsValue }

  /// Whether a path goes on below, so that the members and elements here matter.
  @inline(__always)
  func wantsMembers(_ shape: Int32) -> Bool {
    let place = places[Int(shape)]
    return place.childCount > 0 || place.any >= 0
  }

  /// Whether single elements of a list here are asked for.
  @inline(__always)
  func wantsElements(_ shape: Int32) -> Bool { places[Int(shape)].wantsElements }

  /// Which of the paths to items ends here, so that a list here holds items; nil for none.
  @inline(__always)
  func itemsRank(_ shape: Int32) -> Int32? {
    let rank = places[Int(shape)].itemsRank
    return rank < 0 ? nil : rank
  }

  /// Whether items may stand right below, so that an XML element here without any is an empty list.
  func hasItemsBelow(_ shape: Int32) -> Bool {
    let place = places[Int(shape)]
    let children = place.firstChild..<place.firstChild + place.childCount
    return children.contains { itemsRank($0) != nil }
      || place.any >= 0 && itemsRank(place.any) != nil
  }

  /// Whether an object here is an item, because a path goes by any key.
  func isItem(_ shape: Int32) -> Bool { places[Int(shape)].isItem }

  /// Which element of a list here leads to items; nil when each does.
  func itemsIndex(_ shape: Int32) -> Int32? {
    let index = places[Int(shape)].itemsIndex
    return index < 0 ? nil : index
  }

  /// Whether the shape is that of members with any key.
  func isAny(_ shape: Int32, of parent: Int32) -> Bool { places[Int(parent)].any == shape }

  /// Whether a path goes on below by any key.
  func hasAny(_ shape: Int32) -> Bool { places[Int(shape)].any >= 0 }

  /// The key that members of a shape have; nil where they may have any.
  func key(of shape: Int32) -> UnsafeRawBufferPointer? {
    let place = places[Int(shape)]
    if place.keyStart < 0 { return nil }
    return UnsafeRawBufferPointer(start: keys + place.keyStart, count: place.keyCount)
  }

  /// The shape of the member with a key; below 0 when no path leads there.
  @inline(__always)
  func child(of shape: Int32, _ key: UnsafeRawBufferPointer) -> Int32 {
    let place = places[Int(shape)]
    var child = place.firstChild
    let end = child + place.childCount
    while child < end {
      let candidate = places[Int(child)]
      if candidate.keyCount == key.count {
        let start = keys + candidate.keyStart
        var offset = 0
        while offset < key.count, start[offset] == key[offset] { offset += 1 }
        if offset == key.count { return child }
      }
      child += 1
    }
    return place.any
  }

  /// Whether attributes of an XML element are asked for.
  @inline(__always)
  func wantsAttributes(_ shape: Int32) -> Bool { places[Int(shape)].wantsAttributes }

  /// The shape of an XML element's attribute; below 0 when no path leads there.
  func attribute(of shape: Int32, _ name: UnsafeRawBufferPointer) -> Int32 {
    let place = places[Int(shape)]
    for child in place.firstChild..<place.firstChild + place.childCount {
      let candidate = places[Int(child)]
      let key = UnsafeBufferPointer(start: keys + candidate.keyStart, count: candidate.keyCount)
      if key.first == 0x40, key.dropFirst().elementsEqual(name) { return child }
    }
    return -1
  }

  /// Compiles a path that the tree was made of.
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
          let place = places[Int(shape)]
          let children = Array(place.firstChild..<place.firstChild + place.childCount)
          return children + (place.any >= 0 ? [place.any] : [])
        }
        steps.append(Step(kind: .all, shapes: shapes))
      case .matching(let key, let value):
        let below = compile(key.map(FieldPath.Step.key)[...], from: shapes)
        steps.append(Step(kind: .matching(below, value: Array(value.utf8)), shapes: shapes))
      case .ownKey:
        break
      }
    }
    return steps
  }
}

extension PathTree {
  /// A place while the tree is being made.
  private final class Draft {
    var children: [(key: String, place: Draft)] = []
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

    /// Marks where items stand: a list at the path's end holds them, and a member that its last
    /// step finds by any key is one.
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
      case .matching:
        wantsElements = true
        insertItems(rest, rank)
      case .all:
        wantsElements = true
        // A list takes all such steps that follow one another: lists in it are taken apart.
        insertItems(path.drop { $0 == .all }, rank)
        let any = any ?? Draft()
        self.any = any
        any.insertItems(rest, rank, isMember: true)
      case .ownKey:
        break
      }
    }

    private func child(_ key: String) -> Draft {
      if let found = children.first(where: { $0.key == key }) { return found.place }
      let made = Draft()
      children.append((key, made))
      return made
    }

    /// Lets members with a place of their own be found among all members, too.
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
      for (key, place) in other.children { child(key).take(place) }
      if let otherAny = other.any {
        let any = any ?? Draft()
        self.any = any
        any.take(otherAny)
      }
    }
  }
}
