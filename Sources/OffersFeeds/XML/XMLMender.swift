/// Repairs common faults of feeds for which a strict XML parser would refuse the whole document.
///
/// A bare `&` becomes `&amp;`, a `<` that begins no tag `&lt;`, and HTML's named references become
/// their characters. Control characters that XML 1.0 forbids, and references to characters that it
/// forbids, are removed; references to the control characters from 128 to 159 mean the characters of
/// windows-1252, as in HTML. Invalid UTF-8 becomes U+FFFD. Whitespace and byte order marks before the
/// document are removed, and so is an XML declaration elsewhere, since `<?xml` must come first. In
/// comments, CDATA, processing instructions and the document type
/// only control characters and invalid UTF-8 are repaired. If the document type has an internal
/// subset, which may declare entities, references to unknown names are left to the parser, and those
/// to HTML's names, which mean the same in all documents that declare them, are no faults.
///
/// Bytes that need no repair are passed on without copying, except for a few at the boundaries of
/// the input's chunks. At most 64 bytes are held back. The output does not depend on how the input
/// is divided into chunks.
package final class XMLMender {
  private enum Section {
    /// Before the first character that is not whitespace.
    case start
    case content
    case characterData
    case comment
    case instruction
    /// An XML declaration that does not come first.
    case strayDeclaration
    case doctype(XMLDoctypeScan)
  }

  /// The number of faults repaired.
  package private(set) var mendedCount = 0

  private var section = Section.start
  /// The start of the current section, such as a comment, in the current bytes. A closing delimiter must not
  /// overlap the opening one, as in `<!-->`.
  private var sectionStart = 0
  private var hasSkippedSpace = false
  /// Whether the content begins with an XML declaration, which has not been passed on.
  private var isDeclarationNext = false
  private var hasOwnNames = false
  /// The bytes that wait for those after them, because an error may begin with them.
  private var held: [UInt8] = []

  /// The bytes of the next chunk that are joined to those held back.
  private static let joinedBytes = 64

  package init() {}

  /// Repairs the next bytes, which should be UTF-8, and passes them on.
  /// - Throws: errors of `emit` only.
  package func consume(_ bytes: UnsafeRawBufferPointer, _ emit: ByteSink) throws {
    var rest = bytes
    while !held.isEmpty && !rest.isEmpty {
      let heldCount = held.count
      let size = min(rest.count, Self.joinedBytes)
      var joined = held
      joined.append(contentsOf: rest.slice(0, size))
      held = []
      let done = try joined.withUnsafeBytes { try mend($0, isLast: false, emit) }
      if done < heldCount {
        held = Array(joined[done...])
        rest = rest.tail(from: size)
      } else {
        rest = rest.tail(from: done - heldCount)
      }
    }
    if rest.isEmpty { return }
    let done = try mend(rest, isLast: false, emit)
    held.append(contentsOf: rest.tail(from: done))
  }

  /// Repairs the bytes held back, since no more bytes follow.
  package func finish(_ emit: ByteSink) throws {
    let bytes = held
    held = []
    _ = try bytes.withUnsafeBytes { try mend($0, isLast: true, emit) }
  }

  /// Repairs bytes and returns the number of bytes consumed. The rest must be passed in again,
  /// together with the bytes that follow.
  private func mend(
    _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ emit: ByteSink
  ) throws -> Int {
    var run = XMLChunkCursor(bytes: bytes, isLast: isLast)
    sectionStart = 0
    while run.index < bytes.count {
      switch section {
      case .start: try skipSpace(&run, emit)
      case .content: try mendContent(&run, emit)
      case .characterData: try mendSection(&run, .characterData, markLength: 3, emit)
      case .comment: try mendSection(&run, .comment, markLength: 3, emit)
      case .instruction: try mendSection(&run, .instruction, markLength: 2, emit)
      case .strayDeclaration: skipDeclaration(&run)
      case .doctype(let scan): try mendDoctype(&run, scan, emit)
      }
      if run.isWaiting { break }
    }
    try run.flush(emit)
    return run.index
  }

  private func skipSpace(_ run: inout XMLChunkCursor, _ emit: ByteSink) throws {
    let bytes = run.bytes
    while run.index < bytes.count {
      switch bytes[run.index] {
      case 0x20, 0x09, 0x0A, 0x0D:
        hasSkippedSpace = true
        run.skip(1)
      case let byte where XMLStops.isForbidden(byte):
        mendedCount += 1
        run.skip(1)
      default:
        let mark = bytes.matches("\u{FEFF}", at: run.index)
        let declaration = bytes.matches("<?xml", at: run.index)
        if !run.isLast && (mark == nil || declaration == nil) { return run.wait() }
        if mark == true {
          mendedCount += 1
          run.skip(3)
          continue
        }
        if hasSkippedSpace && declaration == true { mendedCount += 1 }
        isDeclarationNext = declaration == true
        section = .content
        return
      }
    }
  }

  private func mendContent(_ run: inout XMLChunkCursor, _ emit: ByteSink) throws {
    let bytes = run.bytes
    run.index = XMLStops.content.find(in: bytes, from: run.index)
    guard run.index < bytes.count else {
      if bytes.last == 0x3C && !run.isLast { run.wait(back: 1) }
      return
    }
    let isBehindOpening = run.index > 0 && bytes[run.index - 1] == 0x3C
    switch bytes[run.index] {
    case 0x3F where isBehindOpening: try enterInstruction(&run, emit)
    case 0x21 where isBehindOpening:
      let isComment = bytes.matches("--", at: run.index + 1)
      let isData = bytes.matches("[CDATA[", at: run.index + 1)
      let isDoctype = bytes.matches("DOCTYPE", at: run.index + 1)
      if isComment == true { return enter(.comment, &run, behind: 3) }
      if isData == true { return enter(.characterData, &run, behind: 8) }
      if isDoctype == true { return enter(.doctype(XMLDoctypeScan()), &run, behind: 8) }
      let isOpen = isComment == nil || isData == nil || isDoctype == nil
      if isOpen && !run.isLast { return run.wait(back: 1) }
      run.index += 1
    case let byte where isBehindOpening && byte < 0x80 && !XMLStops.isForbidden(byte):
      run.index -= 1
      try replace(1, with: 0x3C, &run, emit)
      // The search would stop at the next byte again, because `<` still precedes it in the input.
      if byte == 0x26 { return try mendReference(&run, emit) }
      run.index += 1
      if byte == 0x3C, run.index == bytes.count, !run.isLast { run.wait(back: 1) }
    case 0x26: try mendReference(&run, emit)
    default: try mendCharacter(&run, emit)
    }
  }

  /// Begins an instruction, or drops the declaration `<?xml` that does not come first.
  private func enterInstruction(_ run: inout XMLChunkCursor, _ emit: ByteSink) throws {
    let isDeclaration = run.bytes.matches("xml", at: run.index + 1)
    let behind = run.index + 4
    if isDeclaration == nil || behind == run.bytes.count, !run.isLast { return run.wait(back: 1) }
    guard isDeclaration == true, behind < run.bytes.count, run.bytes[behind] <= 0x20,
      !isDeclarationNext
    else {
      isDeclarationNext = false
      return enter(.instruction, &run, behind: 1)
    }
    mendedCount += 1
    run.index -= 1
    try run.flush(emit)
    run.skip(5)
    section = .strayDeclaration
  }

  /// Drops the bytes of a declaration up to its `>`.
  private func skipDeclaration(_ run: inout XMLChunkCursor) {
    guard let end = run.bytes[run.index...].firstIndex(of: 0x3E) else {
      return run.skip(run.bytes.count - run.index)
    }
    run.skip(end + 1 - run.index)
    section = .content
  }

  private func enter(_ section: Section, _ run: inout XMLChunkCursor, behind length: Int) {
    self.section = section
    run.index += length
    sectionStart = run.index
  }

  /// Repairs the bytes of a section up to its end, which is `>` after one or two equal bytes, such
  /// as `-->` or `?>`.
  private func mendSection(
    _ run: inout XMLChunkCursor, _ stops: XMLStops, markLength: Int, _ emit: ByteSink
  ) throws {
    let bytes = run.bytes
    run.index = stops.find(in: bytes, from: run.index)
    guard run.index < bytes.count else {
      if run.isLast { return }
      var back = 0
      while back < markLength - 1, bytes.count - back > sectionStart,
        bytes[bytes.count - back - 1] == stops.first
      {
        back += 1
      }
      if back > 0 { run.wait(back: back) }
      return
    }
    guard bytes[run.index] == 0x3E else { return try mendCharacter(&run, emit) }
    let start = run.index - markLength + 1
    if start >= sectionStart && bytes[start] == stops.first { section = .content }
    run.index += 1
  }

  private func mendDoctype(
    _ run: inout XMLChunkCursor, _ scan: XMLDoctypeScan, _ emit: ByteSink
  ) throws {
    var scan = scan
    while run.index < run.bytes.count {
      let byte = run.bytes[run.index]
      if byte >= 0x80 || XMLStops.isForbidden(byte) {
        section = .doctype(scan)
        if byte >= 0x80, let length = XMLStops.characterLength(in: run.bytes, at: run.index) {
          run.index += length
        } else {
          try mendCharacter(&run, emit)
          if run.isWaiting { return }
        }
      } else {
        run.index += 1
        if scan.isEnd(byte) {
          hasOwnNames = hasOwnNames || scan.hasSubset
          section = .content
          return
        }
      }
    }
    section = .doctype(scan)
  }

  private func mendReference(_ run: inout XMLChunkCursor, _ emit: ByteSink) throws {
    let reference = XMLReference.find(
      in: run.bytes, at: run.index, hasOwnNames: hasOwnNames, isLast: run.isLast)
    switch reference {
    case .open: run.wait()
    case .sound(let length): run.index += length
    case .forbidden(let length): try replace(length, with: nil, &run, emit)
    case .character(let scalar, let length):
      try replace(length, with: scalar, &run, emit)
      if hasOwnNames { mendedCount -= 1 }
    case .none: try replace(1, with: 0x26, &run, emit)
    }
  }

  /// Removes the control character, or replaces the invalid UTF-8, at the current index.
  private func mendCharacter(_ run: inout XMLChunkCursor, _ emit: ByteSink) throws {
    let bytes = run.bytes
    guard bytes[run.index] >= 0x80 else { return try replace(1, with: nil, &run, emit) }
    var length = 1
    switch UTF8Sequence.find(in: bytes, at: run.index) {
    case .cut where !run.isLast: return run.wait()
    case .cut: length = bytes.count - run.index
    case .whole(let whole): length = whole
    case .invalid:
      // A maximal prefix of a valid sequence counts as one fault (Unicode, section 3.9).
      let most = min(run.index + 3, bytes.count)
      while run.index + length < most {
        let start = bytes.slice(run.index, run.index + length + 1)
        guard UTF8Sequence.find(in: start, at: 0) == .cut else { break }
        length += 1
      }
    }
    try replace(length, with: 0xFFFD, &run, emit)
  }

  private func replace(
    _ length: Int, with scalar: UInt32?, _ run: inout XMLChunkCursor, _ emit: ByteSink
  ) throws {
    mendedCount += 1
    try run.flush(emit)
    run.skip(length)
    switch scalar {
    case nil: break
    case 0x26: try Self.write("&amp;", emit)
    case 0x3C: try Self.write("&lt;", emit)
    case 0x3E: try Self.write("&gt;", emit)
    case 0x22: try Self.write("&quot;", emit)
    case 0x27: try Self.write("&apos;", emit)
    case let scalar?:
      let (packed, count) = UTF8Scalar.pack(scalar)
      try withUnsafeBytes(of: packed.littleEndian) { try emit($0.slice(0, count)) }
    }
  }

  private static func write(_ text: StaticString, _ emit: ByteSink) throws {
    try emit(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

/// The progress of repairing one chunk.
struct XMLChunkCursor {
  let bytes: UnsafeRawBufferPointer
  /// Whether no more bytes follow.
  let isLast: Bool
  /// The index of the next byte.
  var index = 0
  /// The start of the valid bytes that have not been passed on.
  private var start = 0
  /// Whether the bytes at `index` cannot be judged without the bytes that follow.
  private(set) var isWaiting = false

  init(bytes: UnsafeRawBufferPointer, isLast: Bool) {
    self.bytes = bytes
    self.isLast = isLast
  }

  /// Passes on the valid bytes before `index`.
  mutating func flush(_ emit: ByteSink) throws {
    let good = bytes.slice(start, index)
    start = index
    if !good.isEmpty { try emit(good) }
  }

  /// Drops bytes; the valid bytes before them must have been passed on.
  mutating func skip(_ count: Int) {
    index += count
    start = index
  }

  mutating func wait(back count: Int = 0) {
    index -= count
    isWaiting = true
  }
}

/// The classification of an ampersand in XML text, by the bytes after it.
enum XMLReference: Equatable {
  /// A reference that is left to the XML parser, with its length in bytes.
  case sound(Int)
  /// A reference that is valid only in HTML, with its character and its length in bytes.
  case character(UInt32, Int)
  /// A numeric reference to a character that XML forbids, with its length in bytes.
  case forbidden(Int)
  /// No reference: the ampersand means itself.
  case none
  /// More bytes are needed to classify the ampersand.
  case open

  /// The number of bytes that always suffice to classify an ampersand. HTML's longest name has 31.
  static let neededBytes = 64

  /// Classifies the ampersand at `start`.
  ///
  /// - Parameters:
  ///   - bytes: the text that contains the ampersand.
  ///   - start: the index of the ampersand.
  ///   - hasOwnNames: whether the document may declare entities, so that unknown names may be
  ///     valid.
  ///   - isLast: whether no more bytes follow.
  static func find(
    in bytes: UnsafeRawBufferPointer, at start: Int, hasOwnNames: Bool, isLast: Bool
  ) -> XMLReference {
    let end = min(start + neededBytes, bytes.count)
    let isCut = end < start + neededBytes && !isLast
    let window = bytes.slice(start, end)
    guard window.count > 1 else { return isCut ? .open : .none }
    if window[1] == 0x23 { return findNumber(in: window, isCut: isCut) }
    var index = 1
    while index < window.count, isNameByte(window[index], isFirst: index == 1) { index += 1 }
    if index == window.count {
      if isCut { return .open }
      return hasOwnNames && !isLast ? .sound(index) : .none
    }
    guard index > 1, window[index] == 0x3B else { return .none }
    let name = window.slice(1, index)
    if isOwnOfXML(name) { return .sound(index + 1) }
    if let scalar = HTMLEntities.findScalar(name) { return .character(scalar, index + 1) }
    return hasOwnNames ? .sound(index + 1) : .none
  }

  private static func findNumber(
    in window: UnsafeRawBufferPointer, isCut: Bool
  ) -> XMLReference {
    guard window.count > 2 else { return isCut ? .open : .none }
    let (number, index) = HTMLMarkupReader.readNumber(in: window, from: 2)
    if index == window.count { return isCut ? .open : .none }
    guard let number, window[index] == 0x3B else { return .none }
    guard isAllowed(number) else { return .forbidden(index + 1) }
    if case 0x80...0x9F = number {
      return .character(HTMLMarkupReader.character(of: number), index + 1)
    }
    // XML requires a lower-case x.
    return window[2] == 0x58 ? .character(number, index + 1) : .sound(index + 1)
  }

  /// The characters that XML 1.0 allows (section 2.2).
  private static func isAllowed(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09, 0x0A, 0x0D, 0x20..<0xD800, 0xE000...0xFFFD, 0x1_0000..<0x11_0000: true
    default: false
    }
  }

  private static func isNameByte(_ byte: UInt8, isFirst: Bool) -> Bool {
    switch byte {
    case 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3A, 0x80...0xFF: true
    case 0x30...0x39, 0x2D, 0x2E: !isFirst
    default: false
    }
  }

  private static func isOwnOfXML(_ name: UnsafeRawBufferPointer) -> Bool {
    ["amp", "lt", "gt", "quot", "apos"].contains { name.elementsEqual($0.utf8) }
  }
}

/// The stops of a search through XML text: one byte, and one or two pairs of bytes.
///
/// The search also stops at control characters that XML 1.0 forbids, and at bytes that are not the
/// UTF-8 encoding of an allowed character.
struct XMLStops {
  /// A byte at which the search stops anywhere; zero for none.
  let single: UInt8
  /// The first byte of the pairs. The search stops at the byte after it, if that is one of
  /// `seconds`.
  let first: UInt8
  let seconds: (UInt8, UInt8)
  /// Whether the search also stops at other bytes after `first` that begin no tag: all of ASCII but
  /// letters, `/`, `:` and `_`.
  var stopsAtNoTag = false

  /// The stops of content: `&`, `<!`, `<?`, and `<` before something that begins no tag.
  static let content = XMLStops(
    single: 0x26, first: 0x3C, seconds: (0x21, 0x3F), stopsAtNoTag: true)
  /// The stop of a CDATA section: `]>`, which ends `]]>`.
  static let characterData = XMLStops(single: 0, first: 0x5D, seconds: (0x3E, 0x3E))
  /// The stop of a comment: `->`, which ends `-->`.
  static let comment = XMLStops(single: 0, first: 0x2D, seconds: (0x3E, 0x3E))
  /// The stop of a processing instruction: `?>`.
  static let instruction = XMLStops(single: 0, first: 0x3F, seconds: (0x3E, 0x3E))

  /// The index of the first stop at or after `start`, and of the second byte of a pair; the count
  /// when there is none.
  func find(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      if byte >= 0x80 {
        guard let length = Self.characterLength(in: bytes, at: index) else { return index }
        index += length
      } else {
        if isStop(byte, behind: index > 0 ? bytes[index - 1] : 0) { return index }
        index += 1
      }
    }
    return index
  }

  @inline(__always)
  private func isStop(_ byte: UInt8, behind before: UInt8) -> Bool {
    byte == single || (before == first && isSecond(byte)) || Self.isForbidden(byte)
  }

  @inline(__always)
  private func isSecond(_ byte: UInt8) -> Bool {
    byte == seconds.0 || byte == seconds.1
      || stopsAtNoTag && byte < 0x80 && !CharacterScan.isLetter(byte) && byte != 0x2F
        && byte != 0x3A && byte != 0x5F
  }

  /// Whether a byte is a control character that XML 1.0 forbids (section 2.2).
  @inline(__always)
  static func isForbidden(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D
  }

  /// The length of the non-ASCII character at `index`, in bytes; nil when it is incomplete, not
  /// valid UTF-8, or U+FFFE or U+FFFF, which XML forbids.
  @inline(__always)
  static func characterLength(in bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
    guard case .whole(let length) = UTF8Sequence.find(in: bytes, at: index) else { return nil }
    let isNoCharacter =
      length == 3 && bytes[index] == 0xEF && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE
    return isNoCharacter ? nil : length
  }
}
