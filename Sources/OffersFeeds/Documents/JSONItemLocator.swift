/// Parses a JSON document down to its list of offers, one token per step, so that parsing can pause
/// between any two tokens until more bytes arrive.
struct JSONItemLocator {
  /// The result of a step.
  enum Step {
    /// One token was consumed.
    case walked
    /// The parser is at the first byte of a record, which is nested in `depth` values. The caller
    /// reads the record.
    case item(depth: Int)
    /// The parser is at an object where the list of offers is expected, which may be the whole document.
    /// If the object is the only offer, the caller reads it and calls `takeOnlyItem`. Otherwise it calls
    /// `refuseOnlyItem`, and the parser looks for offers in the object.
    case onlyItem(depth: Int)
    /// The document has ended.
    case ended
  }

  private enum Expectation {
    case value
    case valueOrEnd
    case keyOrEnd
    case key
    case commaOrEnd
    case nothing
  }

  private enum Kind {
    case object
    case array
    case items
  }

  private struct Container {
    let kind: Kind
    /// The shape of the container: its node in the `PathTree`; negative when no path needs it.
    let shape: Int32
    /// The container's node in the document's `RecordTree`; negative when it has none.
    let node: Int32
    /// Whether offers are searched for in the container. They are not if it is, or is within, a
    /// list on a path that selects no elements of the list, or an element of a list other than the
    /// one that the path selects.
    let allowsItems: Bool
    /// The index of the current element.
    var elementIndex: Int32 = 0
    /// The key of the current member, where a `*` of the definition matches any key.
    var ownKey: [UInt8]?
  }

  private let paths: PathTree
  private let document: DocumentValues
  private let itemsText: String
  private let keyArena = TextArena()
  /// True for JSON lines: a sequence of values instead of one document.
  private let isLines: Bool
  private var containers: [Container] = []
  private var expectation = Expectation.value
  /// The shape of the next value; negative when no path needs it.
  private var valueShape = PathTree.root
  private var isAnyMember = false
  /// The index, among the paths of items, of the one that was found first in the document, and
  /// alone applies; nil before.
  private var itemsRank: Int32?
  private var rootKeys: [String] = []
  private var trail: ItemsTrail
  /// Whether an object in the place of the list of offers may be the only one. False while that
  /// object is parsed token by token.
  private var mayBeOnlyItem = true
  private static let offerBytes = 1 << 20
  private var mismatch: String?
  /// Whether an object below the root was opened that may have the list of offers as a member.
  private var didFindPlace = false
  /// Whether every path of offers begins with a key, which a list at the top level cannot match.
  private let startsWithKey: Bool
  private var isBareList = false

  /// - Parameters:
  ///   - items: the paths of the lists of offers.
  ///   - document: receives the values outside the offers. Its tree has the same paths, compiled.
  ///   - isLines: true for JSON lines: a sequence of values instead of one document.
  init(items: [FieldPath], document: DocumentValues, isLines: Bool = false) {
    self.document = document
    self.isLines = isLines
    paths = document.tree.paths
    trail = ItemsTrail(items)
    startsWithKey = items.allSatisfy { if case .key? = $0.steps.first { true } else { false } }
    itemsText = items.map { $0.steps.isEmpty ? "the top level" : $0.descriptionFromRoot }
      .joined(separator: " or ")
  }

  /// True before the first value of the document.
  var isAtStart: Bool { containers.isEmpty && expectation == .value }

  /// True when the innermost open list or object is a list of offers.
  var isInItems: Bool { containers.last?.kind == .items }

  /// The keys of the current record and of the objects around it, where a `*` matches any key; the
  /// outermost first.
  var ownKeys: [[UInt8]] { containers.compactMap(\.ownKey) }

  /// The reason why a valid document has no list of offers at the expected path; nil when it has
  /// one.
  var shapeProblem: String? {
    if itemsRank != nil { return nil }
    if isBareList {
      return "Expected a list of offers at \(itemsText); the document is a list itself."
    }
    let seen =
      rootKeys.isEmpty ? "" : ", with the keys \(rootKeys.joined(separator: ", "))"
    return "Expected a list of offers at \(itemsText), found \(mismatch ?? "none")\(seen)."
  }

  /// Whether the document lacks the list of offers, or has a null in its place, but has the object
  /// around that place, below its root. A program that converts XML to JSON leaves an empty list
  /// out.
  var lacksOnlyList: Bool {
    itemsRank == nil && didFindPlace && (mismatch == nil || mismatch == "null")
  }

  /// The correction to suggest when the document has no list of offers at the path.
  var shapeHint: String? {
    if itemsRank != nil { return nil }
    return isBareList ? "Write items: . or leave it out." : trail.hint
  }

  /// Returns to the state before a record that could not be read completely.
  mutating func expectItemAgain() {
    expectation = .value
    if !isInItems && !isLines {
      valueShape = lastItemShape
      isAnyMember = true
    }
  }

  /// Whether the object at `p` is in the place of the list of offers, and whole. A program that
  /// converts XML to JSON writes a list only if there are several elements. Throws `needsMore` for an
  /// incomplete object smaller than `offerBytes`. A larger incomplete one, and an invalid one, whose
  /// error is then reported, are parsed token by token instead.
  private mutating func isOnlyItem(
    _ scanner: JSONScanner, _ p: JSONScanner.Position, _ shape: Int32
  ) throws(JSONStop) -> Bool {
    guard mayBeOnlyItem, shape >= 0, allowsItems, !paths.hasItemsBelow(shape),
      let rank = paths.itemsRank(shape), rank == itemsRank ?? rank,
      // An element of the list itself is an item, and not in its place.
      containers.last?.shape != shape
    else { return false }
    var end = p
    do {
      try scanner.skipValue(&end, depth: containers.count)
    } catch {
      if case .needsMore = error, scanner.end - p < Self.offerBytes { throw error }
      mayBeOnlyItem = false
      return false
    }
    return true
  }

  /// Counts the object as the list of offers, after it was read as the only offer.
  mutating func takeOnlyItem() {
    if let rank = paths.itemsRank(valueShape) { itemsRank = rank }
    expectation = containers.isEmpty ? .nothing : .commaOrEnd
  }

  /// Parses the object again as one that contains offers, since it is not an offer itself.
  mutating func refuseOnlyItem() { mayBeOnlyItem = false }

  private var lastItemShape = PathTree.root

  /// Consumes one token. When it throws `needsMore`, nothing but `p` has changed.
  mutating func step(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position
  ) throws(JSONStop) -> Step {
    scanner.skipWhitespace(&p)
    switch expectation {
    case .value, .valueOrEnd:
      if expectation == .valueOrEnd, p.pointee == 0x5D {
        close(&p)
        return .walked
      }
      return try value(scanner, &p)
    case .keyOrEnd, .key:
      if expectation == .keyOrEnd, p.pointee == 0x7D {
        close(&p)
        return .walked
      }
      try key(scanner, &p)
    case .commaOrEnd:
      try commaOrEnd(scanner, &p)
    case .nothing:
      if p < scanner.end { throw .syntax(byAddress: UInt(bitPattern: p), .trailing) }
      if !scanner.isFinal { throw .needsMore }
      return .ended
    }
    return .walked
  }

  private mutating func value(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position
  ) throws(JSONStop) -> Step {
    if isLines, containers.isEmpty {
      if p >= scanner.end {
        if !scanner.isFinal { throw .needsMore }
        if itemsRank != nil { return .ended }
        throw scanner.stop(p, .expectedValue)
      }
      itemsRank = 0
      return .item(depth: 0)
    }
    let shape = isInItems ? containers[containers.count - 1].shape : valueShape
    let isList = p.pointee == 0x5B
    if isInItems {
      if p >= scanner.end { throw scanner.stop(p, .expectedValue) }
      // If a path selects elements of this list, the lists within it are searched for records.
      if !(isList && paths.wantsElements(shape)) {
        expectation = .commaOrEnd
        return .item(depth: containers.count)
      }
    }
    switch p.pointee {
    case 0x7B, 0x5B:
      if !isList, isAnyMember, paths.isItem(shape), allowsItems, holdsItems(shape) {
        lastItemShape = shape
        expectation = .commaOrEnd
        return .item(depth: containers.count)
      }
      if !isList, try isOnlyItem(scanner, p, shape) { return .onlyItem(depth: containers.count) }
      mayBeOnlyItem = true
      if containers.count >= JSONScanner.depthLimit { throw scanner.stop(p, .tooDeep) }
      open(isList, shape)
      p += 1
    default:
      let kind = Self.kind(of: p.pointee)
      if shape >= 0, paths.wantsValue(shape) {
        try document.readScalar(scanner, &p, shape, below: containers.last?.node ?? -1)
      } else {
        try scanner.skipValue(&p, depth: containers.count)
      }
      noteMismatch(kind, shape)
      expectation = containers.isEmpty ? .nothing : .commaOrEnd
    }
    return .walked
  }

  /// Records the kind of a value that is where a path expects the list of offers, or an object on
  /// the way to one.
  private mutating func noteMismatch(_ kind: String, _ shape: Int32) {
    if shape >= 0, paths.itemsRank(shape) != nil || paths.wantsMembers(shape) { mismatch = kind }
  }

  /// Whether the next value may contain offers.
  private var allowsItems: Bool {
    guard let last = containers.last else { return true }
    guard last.allowsItems, last.kind == .array, let index = paths.itemsIndex(last.shape) else {
      return last.allowsItems
    }
    return last.elementIndex == index
  }

  /// Whether a value of this shape contains the offers, according to the path that applies. The
  /// first such value determines that path.
  private mutating func holdsItems(_ shape: Int32) -> Bool {
    guard let rank = paths.itemsRank(shape), rank == itemsRank ?? rank else { return false }
    itemsRank = rank
    return true
  }

  private mutating func open(_ isList: Bool, _ shape: Int32) {
    let allowsItems = allowsItems
    if containers.isEmpty { isBareList = isList && startsWithKey }
    // If the path selects one element by its index, the list around it is not the list of offers.
    let isAround = shape >= 0 && paths.itemsIndex(shape) != nil && containers.last?.shape != shape
    let isItems = allowsItems && isList && shape >= 0 && !isAround && holdsItems(shape)
    if !isItems, shape >= 0, paths.itemsRank(shape) != nil || isList && paths.wantsMembers(shape) {
      mismatch = isList ? "a list" : "an object"
    }
    var node: Int32 = -1
    if shape >= 0, !isItems {
      node = document.append(shape, isList ? .list : .object, to: containers.last?.node ?? -1)
    }
    if !isList, shape >= 0, !containers.isEmpty, paths.hasItemsBelow(shape) { didFindPlace = true }
    containers.append(
      Container(
        kind: isItems ? .items : isList ? .array : .object, shape: shape, node: node,
        allowsItems: allowsItems && !(isList && shape >= 0 && !paths.wantsElements(shape))))
    if itemsRank == nil { trail.open(isList: isList, level: containers.count - 1) }
    valueShape = isList ? shape : -1
    isAnyMember = false
    expectation = isList ? .valueOrEnd : .keyOrEnd
  }

  private mutating func key(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position
  ) throws(JSONStop) {
    var traits = JSONScanner.TextTraits()
    let key = try scanner.scanKey(&p, &traits)
    expectation = .value
    var wasMended = false
    if traits.hasEscapes || traits.hasNonASCII {
      keyArena.reset()
      let decoded = JSONTextDecoder(arena: keyArena).decode(key, traits, wasMended: &wasMended)
      take(key: decoded, isMended: wasMended)
    } else {
      take(key: key, isMended: false)
    }
  }

  private mutating func take(key: UnsafeRawBufferPointer, isMended: Bool) {
    let last = containers.count - 1
    if last == 0, rootKeys.count < 8 {
      rootKeys.append(String(decoding: key.prefix(40), as: UTF8.self))
    }
    if itemsRank == nil { trail.take(key, level: last) }
    let shape = containers[last].shape
    guard shape >= 0 else { return }
    valueShape = paths.child(of: shape, key)
    isAnyMember = valueShape >= 0 && paths.isAny(valueShape, of: shape)
    // Two invalid keys may become equal when repaired, so such a key is left empty.
    if paths.hasAny(shape) { containers[last].ownKey = isMended ? [] : Array(key) }
    let node = containers[last].node
    if valueShape >= 0, !isAnyMember, node >= 0 {
      document.tree.replace(valueShape, below: node)
    }
  }

  private mutating func commaOrEnd(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position
  ) throws(JSONStop) {
    let isObject = containers.last?.kind == .object
    switch p.pointee {
    case 0x2C:
      p += 1
      expectation = isObject ? .key : .value
      if !isObject { containers[containers.count - 1].elementIndex += 1 }
      valueShape = isObject ? -1 : (containers.last?.shape ?? -1)
      isAnyMember = false
    case 0x7D where isObject, 0x5D where !isObject:
      close(&p)
    default:
      throw scanner.stop(p, isObject ? .expectedCommaOrBrace : .expectedCommaOrEnd)
    }
  }

  private mutating func close(_ p: inout JSONScanner.Position) {
    p += 1
    containers.removeLast()
    if itemsRank == nil { trail.close(level: containers.count) }
    expectation = containers.isEmpty ? .nothing : .commaOrEnd
  }

  /// Names the type of a value by its first byte, for a message.
  static func kind(of byte: UInt8) -> String {
    switch byte {
    case 0x7B: "an object"
    case 0x5B: "a list"
    case 0x22: "a text"
    case 0x2D, 0x30...0x39: "a number"
    case 0x6E: "null"
    default: "true or false"
    }
  }
}
