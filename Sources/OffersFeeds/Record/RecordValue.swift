import OffersCore

/// A record of a document, or a value within it, whatever the format.
enum RecordValue {
  case null
  case truth(Bool)
  /// A number as the document prints it.
  case number(String)
  case text(String)
  /// A text in which U+FFFD stands for what was invalid.
  case mendedText(String)
  case list([RecordValue])
  /// The members of a JSON object, in order. Of a repeated key the last member counts, as in most
  /// parsers (RFC 8259, section 4, leaves it open).
  case object([Member])
  /// An element of XML.
  indirect case element(Element)

  struct Member {
    let key: String
    let value: RecordValue
  }

  /// An element of XML. Its attributes are members with an `@` before the name, its children are
  /// members with their names, and the pieces of its text are members with an empty key, all in
  /// the order of the document. Children with the same name are like a list.
  struct Element {
    var members: [Member] = []
    /// The base of relative links in the element, if it declares one (`xml:base`).
    var base: LinkResolver?

    /// The children, without the attributes and the pieces of text.
    var children: some Sequence<RecordValue> {
      members.lazy.filter { !$0.key.isEmpty && $0.key.utf8.first != 0x40 }.map(\.value)
    }
  }

  /// The maximum number of values that are kept of a record. Members of the record that no rule reads
  /// are not kept, and do not count. A value takes much more memory than
  /// the two bytes of the document (`0,`) that may produce it.
  static let countLimit = 1 << 18
}

/// The texts of values.
extension RecordValue {
  /// The text of a value that a condition compares; nil for a value without one.
  var comparedText: String? {
    switch self {
    case .truth(let isTrue): isTrue ? "true" : "false"
    case .number(let text), .text(let text), .mendedText(let text): text
    case .element(let element): element.text
    case .null, .list, .object: nil
    }
  }

  /// The first 40 bytes of the keys of the value's members, the first 100 of them, for messages.
  var keys: [String] {
    guard case .object(let members) = self else { return [] }
    return members.prefix(100).map { String(decoding: $0.key.utf8.prefix(40), as: UTF8.self) }
  }
}

extension RecordValue.Element {
  /// All text within the element, trimmed. The blocks of XHTML begin and end on lines of their own.
  var text: String {
    // An element with one piece of text is by far the most frequent.
    if members.count == 1, members[0].key.isEmpty, case .text(let text) = members[0].value {
      return Self.cleaned(text)
    }
    var bytes: [UInt8] = []
    write(to: &bytes)
    return Self.cleaned(String(decoding: bytes, as: UTF8.self))
  }

  private func write(to bytes: inout [UInt8]) {
    for member in members where member.key.utf8.first != 0x40 {
      switch member.value {
      case .text(let text): bytes += text.utf8
      case .element(let child):
        let isBlock = member.key.utf8.count <= 9 && Self.blocks.contains(member.key)
        if isBlock { Self.endLine(&bytes) }
        child.write(to: &bytes)
        if isBlock { Self.endLine(&bytes) }
      default: break
      }
    }
  }

  private static func endLine(_ bytes: inout [UInt8]) {
    if let last = bytes.last, last != 0x0A { bytes.append(0x0A) }
  }

  /// A text without white space around it, without the marks of a CDATA section around it, and with
  /// LF for CRLF. A program that escapes a section that it was to write as it is makes the marks a
  /// part of the text.
  private static func cleaned(_ text: String) -> String {
    var copy = text
    return copy.withUTF8 { bytes in
      let all = UnsafeRawBufferPointer(bytes)
      var trimmed = all.trimmed()
      if trimmed.count >= 12, trimmed[0] == 0x3C, trimmed.matches("<![CDATA[", at: 0) == true,
        trimmed.matches("]]>", at: trimmed.count - 3) == true
      {
        trimmed = trimmed.slice(9, trimmed.count - 3).trimmed()
      }
      if trimmed.contains(0x0D) {
        var kept: [UInt8] = []
        for (index, byte) in trimmed.enumerated()
        where byte != 0x0D || index + 1 == trimmed.count || trimmed[index + 1] != 0x0A {
          kept.append(byte)
        }
        return String(decoding: kept, as: UTF8.self)
      }
      return trimmed.count == all.count ? text : String(decoding: trimmed, as: UTF8.self)
    }
  }

  private static let blocks: Set = [
    "p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "xhtml:p", "xhtml:br",
    "xhtml:div", "xhtml:li", "xhtml:tr",
  ]

  /// Whether the element is a picture that counts readers and shows nothing.
  fileprivate var isPixel: Bool {
    members.contains { member in
      guard member.has("@width") || member.has("@height"), case .text(let size) = member.value
      else { return false }
      return HTMLPicture.isPixel(size)
    }
  }
}

/// The values at a path.
extension RecordValue {
  /// A value that a path leads to.
  struct Found {
    let value: RecordValue
    /// The base of relative links in the value, if an element around it declares one.
    var base: LinkResolver?
    /// The number of the object that has the value as its member, directly or through lists.
    fileprivate var owner = 0

    init(_ value: RecordValue, base: LinkResolver? = nil) {
      self.value = value
      self.base = base
    }

    fileprivate init(_ value: RecordValue, in outer: Found) {
      self.value = value
      base = outer.base
      owner = outer.owner
    }

    /// The elements of a list, with nested lists flattened; another value is its own only element.
    var elements: [Found] {
      var all: [Found] = []
      addElements(to: &all)
      return all
    }

    /// One array for all levels: a copy at each level would cost the depth times the size.
    private func addElements(to all: inout [Found]) {
      guard case .list(let list) = value else { return all.append(self) }
      for value in list { Found(value, in: self).addElements(to: &all) }
    }
  }

  /// The members that a key leads to.
  fileprivate enum Members {
    case none
    case one(RecordValue)
    /// Several children of an element, or those of the objects of a list.
    case several
  }

  /// Looks up a key without building a list of what it finds, which is nothing or one value for
  /// nearly all keys.
  fileprivate func members(_ key: String) -> Members {
    switch self {
    case .object(let members):
      for index in members.indices.reversed() where members[index].has(key) {
        return .one(members[index].value)
      }
      return .none
    case .element(let element) where !key.isEmpty:
      var place: Int?
      for index in element.members.indices where element.members[index].has(key) {
        if place != nil { return .several }
        place = index
      }
      return place.map { .one(element.members[$0].value) } ?? .none
    case .list: return .several
    default: return .none
    }
  }
}

extension RecordValue.Member {
  /// Whether this is the member with a key.
  @inline(__always)
  fileprivate func has(_ key: String) -> Bool { self.key.hasSameBytes(as: key) }
}

extension RecordValue.Found {
  private typealias Element = RecordValue.Element

  /// The values at a path from this value, in the order of the record.
  ///
  /// - Parameters:
  ///   - steps: the path.
  ///   - following: the step that the caller takes after the path.
  ///   - isRecord: whether this value is the whole record.
  func find(
    _ steps: ArraySlice<FieldPath.Step>, before following: FieldPath.Step? = nil,
    isRecord: Bool = true
  ) -> [RecordValue.Found] {
    var rest = steps
    var isRecord = isRecord
    var found = [self]
    var owner = 0
    while let step = rest.popFirst() {
      switch step {
      case .key(let key):
        found = found.flatMap { $0.elements.flatMap { $0.members(key, isRecord, &owner) } }
      case .all: found = found.flatMap { $0.all(before: rest.first ?? following, &owner) }
      case .index(let index): found = Self.elements(at: index, of: found)
      case .matching(let keys, let value):
        found = found.flatMap(\.elements).filter { $0.value.matches(keys[...], value) }
      case .kind(let kind): found = Self.elements(of: kind, in: found.flatMap(\.elements))
      case .ownKey: break
      }
      if found.isEmpty { break }
      isRecord = false
    }
    return found
  }

  /// Follows the keys at the start of a path from the record as long as each leads to one value.
  /// Returns that value and the number of the keys; nil if a key leads to none.
  func follow(_ steps: [FieldPath.Step]) -> (found: RecordValue.Found, count: Int)? {
    var found = self
    var count = 0
    while count < steps.count, case .key(let key) = steps[count], count == 0 || key != "img" {
      switch found.value.members(key) {
      case .none: return nil
      case .several: return (found, count)
      case .one(let value):
        if case .element(let element) = found.value { found.base = element.base ?? found.base }
        found = RecordValue.Found(value, in: found)
      }
      count += 1
    }
    return (found, count)
  }

  /// The values of the members with a key. A picture anywhere in a text is found as if it were
  /// directly within it.
  fileprivate func members(
    _ key: String, _ isRecord: Bool, _ owner: inout Int
  ) -> [RecordValue.Found] {
    var values: [RecordValue]
    var base = base
    switch value {
    case .object(let members): values = members.last { $0.has(key) }.map { [$0.value] } ?? []
    case .element(let element):
      base = element.base ?? base
      values = element.members.filter { $0.has(key) && !key.isEmpty }.map(\.value)
      if key == "img", !isRecord {
        var pictures: [RecordValue.Found] = []
        Self.addPictures(in: element, base, to: &pictures)
        owner += 1
        for index in pictures.indices { pictures[index].owner = owner }
        return pictures
      }
    default: return []
    }
    if values.isEmpty { return [] }
    owner += 1
    return values.map { value in
      var found = RecordValue.Found(value, base: base)
      found.owner = owner
      return found
    }
  }

  private static func addPictures(
    in element: RecordValue.Element, _ base: LinkResolver?, to found: inout [RecordValue.Found]
  ) {
    for member in element.members {
      guard case .element(let child) = member.value else { continue }
      if member.has("img"), !child.isPixel {
        found.append(RecordValue.Found(member.value, base: base))
      }
      addPictures(in: child, child.base ?? base, to: &found)
    }
  }

  /// The values that a `*` selects: the elements of a list, or the members of an object. An object
  /// that has the key of the following step, an object without members, and a scalar count as a
  /// list with one element.
  private func all(before step: FieldPath.Step?, _ owner: inout Int) -> [RecordValue.Found] {
    var members: [RecordValue]
    var base = base
    switch value {
    case .list: return elements
    case .object(let all): members = all.map(\.value)
    case .element(let element):
      members = Array(element.children)
      base = element.base ?? base
    default: return [self]
    }
    if case .key(let key)? = step, value.hasMember(key) { return [self] }
    if members.isEmpty { return [self] }
    owner += 1
    return members.map { value in
      var found = RecordValue.Found(value, base: base)
      found.owner = owner
      return found
    }
  }

  /// The element at an index, which counts the elements within each object separately.
  private static func elements(at index: Int, of found: [RecordValue.Found]) -> [RecordValue.Found]
  {
    var taken: [RecordValue.Found] = []
    var rest = found[...]
    while let first = rest.first {
      let group = rest.prefix { $0.owner == first.owner }
      rest = rest.dropFirst(group.count)
      let elements = group.flatMap(\.elements)
      let place = index < 0 ? elements.count + index : index
      if elements.indices.contains(place) { taken.append(elements[place]) }
    }
    return taken
  }

  private static func elements(
    of kind: LinkTargetKind, in elements: [RecordValue.Found]
  ) -> [RecordValue.Found] {
    let ranked = elements.compactMap { element -> (rank: Int, found: RecordValue.Found)? in
      let stated = kind.statements.map { keys in
        keys.lazy.compactMap { element.value.statement($0) }.first
      }
      let text = kind.needsText ? element.value.statedText : nil
      return kind.rank(stated, text: text).map { ($0, element) }
    }
    let ranks = Set(ranked.map(\.rank)).sorted()
    return ranks.flatMap { rank in ranked.lazy.filter { $0.rank == rank }.map(\.found) }
  }
}

extension RecordValue {
  fileprivate func hasMember(_ key: String) -> Bool {
    switch self {
    case .object(let members): members.contains { $0.has(key) }
    case .element(let element): element.members.contains { $0.has(key) }
    default: false
    }
  }

  /// Whether a value at a path of keys equals a text, apart from the case of ASCII letters. An
  /// empty text also matches a value that is not there.
  fileprivate func matches(_ keys: ArraySlice<String>, _ text: String) -> Bool {
    guard let key = keys.first else {
      guard let own = comparedText else { return text.isEmpty }
      return own.utf8.elementsEqual(text.utf8) { byte, other in
        byte == other || (byte ^ other) == 0x20 && CharacterScan.isLetter(byte)
      }
    }
    var owner = 0
    let members = Found(self).members(key, true, &owner)
    if members.isEmpty { return text.isEmpty }
    return members.flatMap(\.elements).contains { $0.value.matches(keys.dropFirst(), text) }
  }

  /// The first text of the members with a key.
  fileprivate func statement(_ key: String) -> String? {
    var owner = 0
    return Found(self).members(key, true, &owner).lazy.compactMap(\.value.statedText).first
  }

  fileprivate var statedText: String? {
    guard let text = comparedText, !text.isBlank else { return nil }
    return String(decoding: text.utf8.prefix(OfferLimits.linkBytes), as: UTF8.self)
  }
}

extension String {
  /// Whether another text has the same bytes.
  ///
  /// Texts of a document are compared by this instead of `==`, which equates canonically equivalent
  /// texts, in a time that grows with the square of a run of combining marks. Most texts that differ
  /// have another length.
  @inline(__always)
  func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count
      && withBytes { bytes in other.withBytes { bytes.elementsEqual($0) } }
  }

  /// Whether there is nothing but ASCII white space and control characters.
  var isBlank: Bool { utf8.allSatisfy { $0 <= 0x20 } }

  /// The text without ASCII white space and control characters at its start and end.
  func trimmed() -> String {
    withBytes { bytes in
      let kept = bytes.trimmed()
      return kept.count == bytes.count ? self : String(decoding: kept, as: UTF8.self)
    }
  }

  /// Calls `body` with the bytes of the text.
  @inline(__always)
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    var copy = self
    return try copy.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
  }
}
