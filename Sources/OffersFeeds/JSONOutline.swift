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

  private enum Container {
    case object
    case array
    case items
  }

  private let path: [[UInt8]]
  private var containers: [Container] = []
  private var expectation = Expectation.value
  /// How many of the open containers lie on the path, counted from the root.
  private var matched = 0
  /// True when the value to come stands at the next place of the path.
  private var isOnPath = true
  private var didFindItems = false
  private var rootKeys: [String] = []
  private var mismatch: String?
  private let pathText: String

  init(path: [String]) {
    self.path = path.map { Array($0.utf8) }
    pathText = path.isEmpty ? "the top level" : path.joined(separator: ".")
  }

  /// True before the first value of the document.
  var isAtStart: Bool { containers.isEmpty && expectation == .value }

  /// True while the list of offers is open.
  var isInItems: Bool { containers.last == .items }

  /// Why a sound document holds no list of offers where one was expected; nil when it does.
  var shapeProblem: String? {
    if didFindItems { return nil }
    let seen =
      rootKeys.isEmpty ? "" : ", with the keys \(rootKeys.joined(separator: ", "))"
    return "Expected a list of offers at \(pathText), found \(mismatch ?? "none")\(seen)."
  }

  /// Goes back to before a record that could not be read to its end.
  mutating func expectItemAgain() { expectation = .value }

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
    if isInItems {
      if p >= scanner.end { throw scanner.stop(p, .expectedValue) }
      expectation = .commaOrEnd
      return .item(depth: containers.count)
    }
    let isTarget = isOnPath && matched == path.count
    switch p.pointee {
    case 0x7B, 0x5B:
      if containers.count >= JSONScanner.depthLimit { throw scanner.stop(p, .tooDeep) }
      open(p.pointee, isTarget: isTarget)
      p += 1
    default:
      let kind = Self.kind(of: p.pointee)
      try scanner.skipValue(&p, depth: containers.count)
      if isOnPath { mismatch = kind }
      isOnPath = false
      expectation = containers.isEmpty ? .nothing : .commaOrEnd
    }
    return .walked
  }

  private mutating func open(_ byte: UInt8, isTarget: Bool) {
    let isArray = byte == 0x5B
    if isArray && isTarget {
      didFindItems = true
      containers.append(.items)
    } else {
      if isOnPath && (isArray || isTarget) { mismatch = Self.kind(of: byte) }
      containers.append(isArray ? .array : .object)
    }
    // Below a container that is not on the path nothing is.
    if isOnPath && !isArray && !isTarget {
      onPathDepth = containers.count
    }
    isOnPath = false
    expectation = isArray ? .valueOrEnd : .keyOrEnd
  }

  /// The depth of the innermost open object that lies on the path; 0 when there is none.
  private var onPathDepth = 0

  private mutating func key(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position
  ) throws(JSONStop) {
    var traits = JSONScanner.TextTraits()
    let key = try scanner.scanKey(&p, &traits)
    expectation = .value
    if traits.hasEscapes {
      // Rare outside of records, so the room for the decoded key is taken for the moment only.
      let arena = UnsafeMutablePointer<UInt8>.allocate(capacity: 4 * key.count)
      defer { arena.deallocate() }
      var decoder = JSONTextDecoder(arena: arena)
      var wasMended = false
      take(key: decoder.decode(key, traits, wasMended: &wasMended))
    } else {
      take(key: key)
    }
  }

  private mutating func take(key: UnsafeRawBufferPointer) {
    if containers.count == 1, rootKeys.count < 8 {
      rootKeys.append(String(decoding: key.prefix(40), as: UTF8.self))
    }
    if containers.count == onPathDepth, onPathDepth <= path.count,
      key.elementsEqual(path[onPathDepth - 1])
    {
      matched = onPathDepth
      isOnPath = true
    }
  }

  private mutating func commaOrEnd(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position
  ) throws(JSONStop) {
    let isObject = containers.last == .object
    switch p.pointee {
    case 0x2C:
      p += 1
      expectation = isObject ? .key : .value
    case 0x7D where isObject, 0x5D where !isObject:
      close(&p)
    default:
      throw scanner.stop(p, isObject ? .expectedCommaOrBrace : .expectedCommaOrEnd)
    }
  }

  private mutating func close(_ p: inout JSONScanner.Position) {
    p += 1
    if onPathDepth == containers.count { onPathDepth -= 1 }
    containers.removeLast()
    matched = max(0, onPathDepth - 1)
    isOnPath = false
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
