/// Follows a JSON document down to its list of offers, one token a step, so that it can stop
/// between any two and go on when more bytes have come.
struct JSONOutline {
  /// What a step came to.
  enum Step {
    /// One token further.
    case walked
    /// At the first byte of a record, nested in so many values. The caller reads it.
    case item(depth: Int)
    /// Behind the end of the document, and nothing follows.
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
    /// What its values are to the definition; below 0 for nothing.
    let shape: Int32
    /// Its place in the document's tree; below 0 when it has none.
    let node: Int32
    /// Whether offers may stand in it: not in a list of which no path asks for elements.
    let allowsItems: Bool
    /// How many elements went by before the one at hand.
    var elementIndex: Int32 = 0
    /// The key of the member at hand, where the definition goes by any key.
    var ownKey: [UInt8]?
  }

  private let paths: PathTree
  private let document: DocumentValues
  private let itemsText: String
  private let keyArena = TextArena()
  /// True for one value after another instead of one document.
  private let isLines: Bool
  private var containers: [Container] = []
  private var expectation = Expectation.value
  /// What the value to come is to the definition; below 0 for nothing.
  private var valueShape = PathTree.root
  private var isAnyMember = false
  /// Which of the paths to items the document has: the first that was met, and no other any more.
  private var itemsRank: Int32?
  private var rootKeys: [String] = []
  private var trail: ItemsTrail
  /// Whether the document itself may be the only offer, which is not known before it is read.
  private var mayBeOffer: Bool
  private static let offerBytes = 1 << 20
  private var mismatch: String?
  /// Whether every path to the offers begins with a key, and the document is a list.
  private let startsWithKey: Bool
  private var isBareList = false

  /// - Parameters:
  ///   - items: the paths of the lists of offers, for messages.
  ///   - document: takes the values that stand around them.
  init(items: [FieldPath], document: DocumentValues, isLines: Bool = false) {
    self.document = document
    self.isLines = isLines
    paths = document.tree.paths
    trail = ItemsTrail(items)
    startsWithKey = items.allSatisfy { if case .key? = $0.steps.first { true } else { false } }
    mayBeOffer = !isLines && items.allSatisfy(\.steps.isEmpty)
    itemsText = items.map { $0.steps.isEmpty ? "the top level" : $0.descriptionFromRoot }
      .joined(separator: " or ")
  }

  /// True before the first value of the document.
  var isAtStart: Bool { containers.isEmpty && expectation == .value }

  /// True while the list of offers is open.
  var isInItems: Bool { containers.last?.kind == .items }

  /// The keys that the record at hand stands under, where the definition goes by any key.
  var ownKeys: [[UInt8]] { containers.compactMap(\.ownKey) }

  /// Why a sound document holds no list of offers where one was expected; nil when it does.
  var shapeProblem: String? {
    if itemsRank != nil { return nil }
    if isBareList {
      return "Expected a list of offers at \(itemsText); the document is a list itself."
    }
    let seen =
      rootKeys.isEmpty ? "" : ", with the keys \(rootKeys.joined(separator: ", "))"
    return "Expected a list of offers at \(itemsText), found \(mismatch ?? "none")\(seen)."
  }

  /// What to write instead where the path to the list of offers leaves the document.
  var shapeHint: String? {
    if itemsRank != nil { return nil }
    return isBareList ? "Write items: . or leave it out." : trail.hint
  }

  /// Goes back to before a record that could not be read to its end.
  mutating func expectItemAgain() {
    expectation = .value
    if !isInItems && !isLines {
      valueShape = lastItemShape
      isAnyMember = true
    }
  }

  /// Takes the document for one around offers after all, as it was no offer.
  mutating func refuseRoot() {
    mayBeOffer = false
    itemsRank = nil
    expectation = .value
  }

  /// Whether the object at `p` is whole and small enough to be an offer by itself. One that is not
  /// sound is walked through, so that its fault is told.
  private mutating func isWholeRoot(
    _ scanner: JSONScanner, _ p: JSONScanner.Position
  ) throws(JSONStop) -> Bool {
    guard mayBeOffer, containers.isEmpty, p.pointee == 0x7B else { return false }
    var end = p
    do {
      try scanner.skipValue(&end, depth: 0)
    } catch {
      if case .needsMore = error, scanner.end - p < Self.offerBytes { throw error }
      mayBeOffer = false
      return false
    }
    return true
  }

  private var lastItemShape = PathTree.root

  /// Takes one token. On `needsMore` nothing has changed, `p` aside.
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
    if try isWholeRoot(scanner, p) {
      itemsRank = 0
      expectation = .nothing
      return .item(depth: 0)
    }
    let shape = isInItems ? containers[containers.count - 1].shape : valueShape
    let isList = p.pointee == 0x5B
    if isInItems {
      if p >= scanner.end { throw scanner.stop(p, .expectedValue) }
      // With any elements asked for, lists in the list are gone into.
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

  /// Takes note of a value that is in the way of the list of offers.
  private mutating func noteMismatch(_ kind: String, _ shape: Int32) {
    if shape >= 0, paths.itemsRank(shape) != nil || paths.wantsMembers(shape) { mismatch = kind }
  }

  /// Whether offers may stand in the value to come.
  private var allowsItems: Bool {
    guard let last = containers.last else { return true }
    guard last.allowsItems, last.kind == .array, let index = paths.itemsIndex(last.shape) else {
      return last.allowsItems
    }
    return last.elementIndex == index
  }

  /// Whether a list of this shape holds the offers, by the one path to them that counts.
  private mutating func holdsItems(_ shape: Int32) -> Bool {
    guard let rank = paths.itemsRank(shape), rank == itemsRank ?? rank else { return false }
    itemsRank = rank
    return true
  }

  private mutating func open(_ isList: Bool, _ shape: Int32) {
    let allowsItems = allowsItems
    if containers.isEmpty { isBareList = isList && startsWithKey }
    // Where one element holds the offers, the list around it does not.
    let isAround = shape >= 0 && paths.itemsIndex(shape) != nil && containers.last?.shape != shape
    let isItems = allowsItems && isList && shape >= 0 && !isAround && holdsItems(shape)
    if !isItems, shape >= 0, paths.itemsRank(shape) != nil || isList && paths.wantsMembers(shape) {
      mismatch = isList ? "a list" : "an object"
    }
    var node: Int32 = -1
    if shape >= 0, !isItems {
      node = document.append(shape, isList ? .list : .object, to: containers.last?.node ?? -1)
    }
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
    // Two keys that are mended may become the same: better none.
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

  /// What a value is, by its first byte, for a message.
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
