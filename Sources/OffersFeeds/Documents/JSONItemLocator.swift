import OffersCore

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
    /// The place of the container; nil when no path needs it.
    let place: DocumentPlace?
    /// Whether the container is kept in `DocumentValues`.
    let isKept: Bool
    /// Whether offers are searched for in the container. They are not if it is, or is within, a
    /// list on a path that selects no elements of the list, or an element of a list other than the
    /// one that the path selects.
    let allowsItems: Bool
    /// The index of the current element.
    var elementIndex = 0
    /// The key of the current member, where a `*` of the definition matches any key.
    var ownKey: String?
  }

  private let document: DocumentValues
  private let itemsText: String
  /// True for JSON lines: a sequence of values instead of one document.
  private let isLines: Bool
  private var containers: [Container] = []
  private var expectation = Expectation.value
  /// The place of the next value; nil when no path needs it.
  private var place: DocumentPlace?
  /// The key of the next value, if that has a place.
  private var key = ""
  private var isAnyMember = false
  /// The index, among the paths of items, of the one that was found first in the document, and
  /// alone applies; nil before.
  private var itemsRank: Int?
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
  ///   - document: receives the values outside the offers.
  ///   - isLines: true for JSON lines: a sequence of values instead of one document.
  init(items: [FieldPath], document: DocumentValues, isLines: Bool = false) {
    self.document = document
    self.isLines = isLines
    place = document.root
    lastItemPlace = document.root
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
  var ownKeys: [String] { containers.compactMap(\.ownKey) }

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
      place = lastItemPlace
      isAnyMember = true
    }
  }

  /// Whether the object at `p` is in the place of the list of offers, and whole. A program that
  /// converts XML to JSON writes a list only if there are several elements. Throws `needsMore` for an
  /// incomplete object smaller than `offerBytes`. A larger incomplete one, and an invalid one, whose
  /// error is then reported, are parsed token by token instead.
  private mutating func isOnlyItem(
    _ scanner: JSONScanner, _ p: JSONScanner.Position, _ place: DocumentPlace?
  ) throws(JSONStop) -> Bool {
    guard mayBeOnlyItem, let place, allowsItems, !place.hasItemsBelow,
      let rank = place.itemsRank, rank == itemsRank ?? rank,
      // An element of the list itself is an item, and not in its place.
      containers.last?.place !== place
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
    if let rank = place?.itemsRank { itemsRank = rank }
    expectation = containers.isEmpty ? .nothing : .commaOrEnd
  }

  /// Parses the object again as one that contains offers, since it is not an offer itself.
  mutating func refuseOnlyItem() { mayBeOnlyItem = false }

  private var lastItemPlace: DocumentPlace?

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
    let place = isInItems ? containers[containers.count - 1].place : place
    let isList = p.pointee == 0x5B
    if isInItems {
      if p >= scanner.end { throw scanner.stop(p, .expectedValue) }
      // If a path selects elements of this list, the lists within it are searched for records.
      if !(isList && place?.wantsElements == true) {
        expectation = .commaOrEnd
        return .item(depth: containers.count)
      }
    }
    switch p.pointee {
    case 0x7B, 0x5B:
      if !isList, isAnyMember, let place, place.isItem, allowsItems, holdsItems(place) {
        lastItemPlace = place
        expectation = .commaOrEnd
        return .item(depth: containers.count)
      }
      if !isList, try isOnlyItem(scanner, p, place) { return .onlyItem(depth: containers.count) }
      mayBeOnlyItem = true
      if containers.count >= JSONScanner.depthLimit { throw scanner.stop(p, .tooDeep) }
      open(isList, place)
      p += 1
    default:
      let kind = Self.kind(of: p.pointee)
      if place?.wantsValue == true, containers.last?.isKept == true {
        var reader = JSONValueReader(scanner)
        document.add(try reader.read(&p, depth: containers.count), key: key)
      } else {
        try scanner.skipValue(&p, depth: containers.count)
      }
      noteMismatch(kind, place)
      expectation = containers.isEmpty ? .nothing : .commaOrEnd
    }
    return .walked
  }

  /// Records the kind of a value that is where a path expects the list of offers, or an object on
  /// the way to one.
  private mutating func noteMismatch(_ kind: String, _ place: DocumentPlace?) {
    if let place, place.itemsRank != nil || place.wantsMembers { mismatch = kind }
  }

  /// Whether the next value may contain offers.
  private var allowsItems: Bool {
    guard let last = containers.last else { return true }
    guard last.allowsItems, last.kind == .array, let index = last.place?.itemsIndex else {
      return last.allowsItems
    }
    return last.elementIndex == index
  }

  /// Whether a value at this place contains the offers, according to the path that applies. The
  /// first such value determines that path.
  private mutating func holdsItems(_ place: DocumentPlace) -> Bool {
    guard let rank = place.itemsRank, rank == itemsRank ?? rank else { return false }
    itemsRank = rank
    return true
  }

  private mutating func open(_ isList: Bool, _ place: DocumentPlace?) {
    let allowsItems = allowsItems
    if containers.isEmpty { isBareList = isList && startsWithKey }
    // If the path selects one element by its index, the list around it is not the list of offers.
    let isAround = place?.itemsIndex != nil && containers.last?.place !== place
    let isItems = place.map { allowsItems && isList && !isAround && holdsItems($0) } ?? false
    if !isItems, let place, place.itemsRank != nil || isList && place.wantsMembers {
      mismatch = isList ? "a list" : "an object"
    }
    let isKept =
      place != nil && !isItems && containers.last?.isKept != false
      && document.begin(isList ? .list : .object, key: key)
    if !isList, place?.hasItemsBelow == true, !containers.isEmpty { didFindPlace = true }
    containers.append(
      Container(
        kind: isItems ? .items : isList ? .array : .object, place: place, isKept: isKept,
        allowsItems: allowsItems && !(isList && place?.wantsElements == false)))
    if itemsRank == nil { trail.open(isList: isList, level: containers.count - 1) }
    self.place = isList ? place : nil
    isAnyMember = false
    expectation = isList ? .valueOrEnd : .keyOrEnd
  }

  private mutating func key(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position
  ) throws(JSONStop) {
    var traits = JSONScanner.TextTraits()
    let raw = try scanner.scanKey(&p, &traits)
    expectation = .value
    let (key, isMended) = JSONText.decode(raw, traits)
    let last = containers.count - 1
    if last == 0, rootKeys.count < 8 {
      rootKeys.append(String(decoding: key.utf8.prefix(40), as: UTF8.self))
    }
    if itemsRank == nil { trail.take(key, level: last) }
    guard let outer = containers[last].place else { return }
    place = outer.member(key)
    isAnyMember = place != nil && place === outer.any
    self.key = place == nil ? "" : key
    // Two invalid keys may become equal when repaired, so such a key is left empty.
    if outer.any != nil { containers[last].ownKey = isMended ? "" : key }
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
      place = isObject ? nil : containers.last?.place
      isAnyMember = false
    case 0x7D where isObject, 0x5D where !isObject:
      close(&p)
    default:
      throw scanner.stop(p, isObject ? .expectedCommaOrBrace : .expectedCommaOrEnd)
    }
  }

  private mutating func close(_ p: inout JSONScanner.Position) {
    p += 1
    if containers.removeLast().isKept { document.end() }
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
    isNext = key.hasSameBytes(as: path[depth])
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
