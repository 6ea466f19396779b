import OffersCore

/// A value in a sample of a document of any format.
///
/// An XML element with text only is a text, and an empty one is null. Any other is an object whose
/// attributes are members with an `@` before the name. Sibling elements with the same name are a
/// list.
indirect enum SampleValue: Sendable {
  case text(String)
  case number(String)
  case truth(Bool)
  case null
  case list([SampleValue])
  case object(SampleObject)

  /// The text or number; nil for another value.
  var scalar: String? {
    switch self {
    case .text(let text), .number(let text): text
    case .truth, .null, .list, .object: nil
    }
  }

  /// The elements of a list, with nested lists flattened; another value is its own only element.
  var elements: [SampleValue] {
    if case .list(let list) = self { list.flatMap(\.elements) } else { [self] }
  }

  /// The object, or the first object of a list.
  var object: SampleObject? {
    switch self {
    case .object(let object): object
    case .list(let list): list.lazy.compactMap(\.object).first
    case .text, .number, .truth, .null: nil
    }
  }
}

extension SampleValue {
  /// The objects that contain the values at a path, this value first, with their own paths.
  func objects(
    around steps: [FieldPath.Step]
  ) -> [(object: SampleObject, steps: [FieldPath.Step])] {
    var objects: [(object: SampleObject, steps: [FieldPath.Step])] = []
    var value = self
    for (position, step) in steps.enumerated() {
      guard case .object(let object) = value else { break }
      objects.append((object, Array(steps.prefix(position))))
      guard case .key(let key) = step, let next = object[key] else { break }
      value = next
    }
    return objects
  }
}

/// The first members of an object, in order.
struct SampleObject: Sendable {
  var members: [(key: String, value: SampleValue)] = []
  /// The text of an XML element that also has attributes or children; nil when it is blank.
  var text: String?

  subscript(key: String) -> SampleValue? { members.last { $0.key == key }?.value }

  /// The number of scalars and nulls in the object and in two levels of objects within it, lists
  /// excluded.
  func leafCount(depth: Int = 0) -> Int {
    members.reduce(text == nil ? 0 : 1) { count, member in
      switch member.value {
      case .text, .number, .truth, .null: count + 1
      case .object(let object): depth < 2 ? count + object.leafCount(depth: depth + 1) : count
      case .list: count
      }
    }
  }
}

/// The start of a document as a tree of values, of bounded size.
///
/// Keeps the first elements of each list and the first members of each object. A value that is cut
/// off is dropped; those before it are kept.
struct Sample {
  /// The root: of XML an object with the root element as its only member, so that paths begin with
  /// its name, as in a definition; of JSON lines the list of their values. Nil if there is none.
  private(set) var root: SampleValue?
  let isXML: Bool
  /// Whether the document is a web page, of which nothing is kept.
  private(set) var isPage = false
  /// The names of a table's columns; empty for another document.
  private(set) var columns: [String] = []
  /// True when the document is not valid JSON, which includes one that is cut off. False for JSON
  /// lines, of which invalid lines are skipped, and for XML.
  private(set) var isBroken = false
  /// The URI of the namespace of XML's root, as `KnownXMLNamespaces.normalized` returns it.
  private(set) var namespace: String?

  /// The number of values that are looked into.
  static let valueLimit = 400_000
  /// The number of elements kept of a list, and of members of an object.
  static let memberLimit = 5000
  /// The number of bytes kept of a text.
  static let textBytes = 1024
  /// The maximum size of a key. A member with a longer one is left out: keys are compared often, in a time
  /// that may grow with the square of their combining marks.
  static let keyBytes = 256

  /// - Parameters:
  ///   - text: the document's start in UTF-8.
  ///   - format: the document's format.
  ///   - definition: says how a table is written; nil to find it.
  init(_ text: [UInt8], as format: FeedFormat, definition: FeedDefinition? = nil) {
    isXML = format == .xml
    switch format {
    case .xml: readXML(text)
    case .json, .ndjson: readJSON(text, isLines: format == .ndjson)
    case .csv: readTable(text, definition)
    // Its kind says how it is read.
    case .jsonLD: isPage = true
    }
  }

  /// Whether the items are deals of a community, whose prices do not make them the products of a shop.
  var hasDeals: Bool {
    let channel = root?.object?["rss"]?.object?["channel"]?.object
    return channel?["item"]?.elements.contains { $0.object?["pepper:merchant"] != nil } == true
  }

  /// Reads the rows of a table as objects, each with all columns.
  private mutating func readTable(_ text: [UInt8], _ definition: FeedDefinition?) {
    guard let layout = TableLayout.find(in: text, definition: definition) else { return }
    columns = layout.columns
    var list: [SampleValue] = []
    layout.forEachRecord(in: text, limit: Self.memberLimit) { row in
      let members = columns.enumerated().map { place, column -> (String, SampleValue) in
        let text = place < row.cells.count ? row.cells[place].value.comparedText ?? "" : ""
        let kept = String(decoding: text.utf8.prefix(Self.textBytes), as: UTF8.self)
        return (column, text.isEmpty ? .null : .text(kept))
      }
      list.append(.object(SampleObject(members: members)))
    }
    root = list.isEmpty ? nil : .list(list)
  }

  private mutating func readXML(_ text: [UInt8]) {
    let sample = XMLSample()
    let tokens = XMLTokenReader(handler: sample)
    let mender = XMLMender()
    do {
      try text.withUnsafeBytes { try mender.consume($0) { try tokens.consume($0) } }
      try mender.finish { try tokens.consume($0) }
      try tokens.finish()
    } catch {
      // The elements before a cut or a fault are a sufficient sample. The feed reader reports the
      // reason.
      sample.closeAll()
    }
    namespace = tokens.rootNamespace
    root = sample.root
  }

  private mutating func readJSON(_ text: [UInt8], isLines: Bool) {
    let padded = text + [UInt8](repeating: 0, count: InputBuffer.paddingBytes)
    padded.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      var reader = JSONSampleReader(start, end: start + text.count)
      root = isLines ? reader.readLines() : reader.readDocument()
      isBroken = reader.isBroken
    }
  }
}

/// Reads XML into a sample of its elements.
private final class XMLSample: XMLTokenHandler {
  private struct Frame {
    let name: String
    var object = SampleObject()
    /// The names of the children in order, and the children with each of them.
    var names: [String] = []
    var children: [String: [SampleValue]] = [:]
    var text: [UInt8] = []

    /// The element as a value: a text if there is nothing but text in it.
    var value: SampleValue {
      var object = object
      object.members += names.map { name in
        let values = children[name] ?? []
        return (name, values.count == 1 ? values[0] : .list(values))
      }
      let text = text.withUnsafeBytes { String(decoding: $0.trimmed(), as: UTF8.self) }
      if object.members.isEmpty { return text.isEmpty ? .null : .text(text) }
      object.text = text.isEmpty ? nil : text
      return .object(object)
    }
  }

  private var frames = [Frame(name: "")]
  private var valueCount = 0

  /// An object with the root element as its only member; nil without an element.
  var root: SampleValue? { frames[0].names.isEmpty ? nil : frames[0].value }

  func start(_ name: String, _ attributes: [XMLTokenReader.Attribute]) {
    var frame = Frame(name: name)
    for (name, value) in attributes where name != "xml:lang" {
      let text = String(decoding: value.utf8.prefix(Sample.textBytes), as: UTF8.self)
      frame.object.members.append(("@" + name, text.isEmpty ? .null : .text(text)))
    }
    frames.append(frame)
  }

  func text(_ text: UnsafeRawBufferPointer) {
    let room = Sample.textBytes - frames[frames.count - 1].text.count
    if room > 0 { frames[frames.count - 1].text.append(contentsOf: text.prefix(room)) }
  }

  func end(_ name: String) {
    if frames.count > 1 { close() }
  }

  /// Closes the open elements with the content read so far. An element that follows a sibling of
  /// the same name is dropped instead, because it is incomplete.
  func closeAll() {
    while frames.count > 1 {
      let isFirst = frames[frames.count - 2].children[frames[frames.count - 1].name] == nil
      if isFirst { close() } else { frames.removeLast() }
    }
  }

  private func close() {
    let frame = frames.removeLast()
    let last = frames.count - 1
    valueCount += 1
    let count = frames[last].children[frame.name]?.count ?? 0
    let hasRoom = count < Sample.memberLimit && frames[last].names.count < Sample.memberLimit
    guard hasRoom, valueCount < Sample.valueLimit || last == 0 else { return }
    if count == 0 { frames[last].names.append(frame.name) }
    frames[last].children[frame.name, default: []].append(frame.value)
  }
}

/// Reads JSON into a sample of its values.
private struct JSONSampleReader {
  private(set) var isBroken = false
  private let scanner: JSONScanner
  private var p: JSONScanner.Position
  private var valueCount = 0

  init(_ start: JSONScanner.Position, end: JSONScanner.Position) {
    scanner = JSONScanner(end: end, isFinal: true)
    p = start
  }

  mutating func readDocument() -> SampleValue? {
    scanner.skipWhitespace(&p)
    let root = readValue(depth: 0)
    scanner.skipWhitespace(&p)
    isBroken = isBroken || p < scanner.end
    return root
  }

  mutating func readLines() -> SampleValue? {
    var list: [SampleValue] = []
    scanner.skipWhitespace(&p)
    while p < scanner.end {
      let value = readValue(depth: 1)
      if isBroken {
        isBroken = false
        while p < scanner.end, p.pointee != 0x0A { p += 1 }
      } else if let value, list.count < Sample.memberLimit {
        list.append(value)
      }
      scanner.skipWhitespace(&p)
    }
    return list.isEmpty ? nil : .list(list)
  }

  /// Reads the value at `p`. Of a list or object that is cut off or invalid, it returns the part
  /// before that; of another such value nil.
  private mutating func readValue(depth: Int) -> SampleValue? {
    let first = p.pointee
    if first == 0x7B || first == 0x5B, depth >= JSONScanner.depthLimit {
      isBroken = true
      return nil
    }
    let isOpened = valueCount < Sample.valueLimit
    if isOpened, first == 0x7B { return .object(readObject(depth: depth)) }
    if isOpened, first == 0x5B { return .list(readList(depth: depth)) }
    valueCount += 1
    let start = p
    do {
      try scanner.skipValue(&p, depth: depth)
    } catch {
      isBroken = true
      return nil
    }
    switch first {
    case 0x22: return .text(decode(UnsafeRawBufferPointer(start: start + 1, count: p - start - 2)))
    case 0x74, 0x66: return .truth(first == 0x74)
    case 0x2D, 0x30...0x39:
      let digits = UnsafeRawBufferPointer(start: start, count: min(40, p - start))
      return .number(String(decoding: digits, as: UTF8.self))
    default: return .null
    }
  }

  private mutating func readList(depth: Int) -> [SampleValue] {
    var list: [SampleValue] = []
    guard scanner.enter(&p, until: 0x5D) else { return list }
    repeat {
      scanner.skipWhitespace(&p)
      let value = readValue(depth: depth + 1)
      // The element in which the sample is cut off is incomplete. It is dropped, unless it is the
      // only one.
      if let value, !isBroken || list.isEmpty, list.count < Sample.memberLimit {
        list.append(value)
      }
    } while goesOn(until: 0x5D)
    return list
  }

  private mutating func readObject(depth: Int) -> SampleObject {
    var object = SampleObject()
    guard scanner.enter(&p, until: 0x7D) else { return object }
    repeat {
      scanner.skipWhitespace(&p)
      var traits = JSONScanner.TextTraits()
      guard let raw = try? scanner.scanKey(&p, &traits) else {
        // The kind of error is not needed here, because the feed reader reports it.
        isBroken = true
        break
      }
      let key = decode(raw)
      // YAML drops a byte order mark at the start of a text, so a path could not name such a key.
      if let value = readValue(depth: depth + 1), object.members.count < Sample.memberLimit,
        key.utf8.count <= Sample.keyBytes, key.unicodeScalars.first != "\u{FEFF}"
      {
        object.members.append((key, value))
      }
    } while goesOn(until: 0x7D)
    return object
  }

  private mutating func goesOn(until end: UInt8) -> Bool {
    if isBroken { return false }
    do {
      return try scanner.goOn(&p, until: end)
    } catch {
      isBroken = true
      return false
    }
  }

  private func decode(_ raw: UnsafeRawBufferPointer) -> String {
    let text = JSONText.decode(raw, .init(hasEscapes: true, hasNonASCII: true)).text
    if text.utf8.count <= Sample.textBytes { return text }
    return String(decoding: text.utf8.prefix(Sample.textBytes), as: UTF8.self)
  }
}

/// The items of a sample: the objects and texts to which the path of the offers leads.
struct SampleItems {
  let steps: [FieldPath.Step]
  let items: [SampleValue]
  /// The key of each item within its parent object; empty for items of a list.
  let ownKeys: [String]

  private static let limit = 5000

  /// - Parameters:
  ///   - root: the sample.
  ///   - steps: the path of the offers.
  ///   - isXML: whether the sample is XML, in which a list of one looks like an element.
  ///   - takesOne: whether an object where the path leads is a list of one, as a person says.
  init(
    _ root: SampleValue, at steps: [FieldPath.Step], isXML: Bool, takesOne: Bool = false
  ) {
    var found: [(value: SampleValue, key: String?)] = [(root, nil)]
    for step in steps {
      found = found.prefix(Self.limit).flatMap { value, key in
        switch (step, value) {
        case (.key(let name), _):
          value.elements.compactMap(\.object).compactMap { $0[name] }.map { ($0, key) }
        case (.all, .object(let object)): object.members.map { ($0.value, $0.key) }
        case (.all, _): value.elements.map { ($0, key) }
        default: [(value: SampleValue, key: String?)]()
        }
      }
    }
    let isAny = steps.last == .all
    let isObject = isXML || isAny || takesOne || steps.isEmpty
    let items = found.flatMap { value, key -> [(value: SampleValue, key: String?)] in
      switch value {
      case .list: value.elements.filter(\.isItem).map { ($0, key) }
      case .object: isObject ? [(value, key)] : []
      case .text: isXML && !isAny ? [(value, key)] : []
      case .number, .truth, .null: []
      }
    }.prefix(Self.limit)
    self.steps = steps
    self.items = items.map(\.value)
    let known = items.compactMap(\.key)
    ownKeys = known.count == items.count ? known : []
  }

  /// The keys of the members of the first 100 items, in the order of their first occurrence.
  var keys: [String] {
    var seen: Set<String> = []
    return items.prefix(100).compactMap(\.object).flatMap(\.members).map(\.key)
      .filter { seen.insert($0).inserted }
  }
}

extension SampleValue {
  fileprivate var isItem: Bool {
    switch self {
    case .object, .text, .number: true
    case .truth, .null, .list: false
    }
  }
}
