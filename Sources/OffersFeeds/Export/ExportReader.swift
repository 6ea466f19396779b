import OffersCore

/// Reads an export as a stream: bytes go in, in chunks of any size; records come out, one at a
/// time.
///
/// Uses the `JSONScanner` of feeds, but not their `JSONFeedReader`, which looks for offers at the
/// path of a definition and repairs them. Here every member is known, and the first mistake ends
/// the reading. Memory use is bounded by the largest record, whatever the document's length.
package final class ExportReader {
  /// The state of the parser.
  private enum State: Equatable {
    case start
    /// The parser is before `format`, `version` or the name of the first section. `isFirst` is true
    /// before `format`.
    case header(isFirst: Bool)
    /// The parser is in a section's list: at its start if `isFirst`, otherwise after a record.
    case list(ExportRecord.Section, isFirst: Bool)
    /// The parser is after a section's list.
    case sections(last: ExportRecord.Section)
    case ended
  }

  private let take: (ExportRecord) throws -> Void
  private let name: String
  private let records = ExportRecordReader()
  private let input = InputBuffer(limitBytes: recordLimitBytes)
  private var state = State.start
  private var hasFormat = false
  private var hasVersion = false
  /// The sections of the document's version, in their order.
  private var sections = ExportRecord.Section.allCases
  /// The number of records read from the current section.
  private var count = 0
  /// The number of bytes that must be held before the next attempt to scan a record.
  private var patienceBytes = 0
  /// The offset at which the current run of spaces begins.
  private var spacesStart = 0

  /// The largest size of a record, in bytes. It suffices for a change with a text before and after
  /// it, both as large as feeds may have them and with each byte escaped.
  static let recordLimitBytes = 256 << 20
  private static let crumbBytes = 64 << 10
  /// The largest run of spaces and line ends between records, so that an endless one is refused.
  private static let spacesLimitBytes = 1 << 20

  /// - Parameters:
  ///   - name: the document's name in messages.
  ///   - take: is called with each record; an error of it ends the reading.
  package init(name: String, _ take: @escaping (ExportRecord) throws -> Void) {
    self.name = name
    self.take = take
  }

  /// Reads the next bytes of the document.
  ///
  /// - Throws: `OffersError` with `malformedFeed` and the position of the mistake,
  ///   `unexpectedShape` for another kind of document, `newerDatabase` for a newer version of the
  ///   format, `limitExceeded` for a record or a run of spaces that is too large; and any error of
  ///   `take`.
  package func consume(_ bytes: UnsafeRawBufferPointer) throws {
    try input.append(bytes)
    if input.heldBytes < patienceBytes { return }
    try read(isFinal: false)
    // An incomplete record is scanned again from its start; doubling the threshold bounds the work.
    patienceBytes = input.heldBytes > Self.crumbBytes ? 2 * input.heldBytes : 0
  }

  /// Reads the rest of the document, which has ended.
  ///
  /// - Throws: the errors of `consume`.
  package func finish() throws { try read(isFinal: true) }

  private func read(isFinal: Bool) throws {
    let scanner = JSONScanner(end: input.end, isFinal: isFinal)
    var p = input.start
    var mark = p
    do {
      while true {
        scanner.skipWhitespace(&p)
        try checkSpaces(to: p)
        mark = p
        if state == .ended {
          input.consume(to: p)
          if p < input.end { throw ExportFault(at: p, JSONSyntaxError.trailing.rawValue) }
          return
        }
        try step(scanner, &p)
        spacesStart = input.offset(of: p)
      }
    } catch JSONStop.needsMore {
      input.consume(to: mark)
    } catch JSONStop.syntax(let address, let syntax) {
      throw malformed(address, syntax.rawValue)
    } catch let fault as ExportFault {
      throw malformed(fault.address, fault.reason)
    }
  }

  private func checkSpaces(to end: JSONScanner.Position) throws {
    if input.offset(of: end) - spacesStart <= Self.spacesLimitBytes { return }
    throw OffersError(
      .limitExceeded,
      "\(name) has nothing but spaces, from byte \(spacesStart) on.",
      hint: "Nothing was changed. Correct it there, or export it again.")
  }

  /// Reads the next member of the document, or the next record. When the scanner needs more bytes,
  /// the state is unchanged, so that the step can be repeated.
  private func step(_ scanner: JSONScanner, _ p: inout JSONScanner.Position) throws {
    switch state {
    case .start:
      guard p.pointee == 0x7B else { throw unless(p, scanner, isOther: true) }
      p += 1
      state = .header(isFirst: true)
    case .header(let isFirst):
      try readMember(scanner, &p, isFirst: isFirst, after: nil)
    case .sections(let last):
      if p.pointee == 0x7D {
        if let next = section(after: last) {
          throw ExportFault(at: p, "the list of \(next.name) is missing")
        }
        p += 1
        state = .ended
      } else {
        try readMember(scanner, &p, isFirst: false, after: last)
      }
    case .list(let section, let isFirst):
      if p.pointee == 0x5D {
        p += 1
        state = .sections(last: section)
        return
      }
      if !isFirst {
        guard p.pointee == 0x2C else { throw scanner.stop(p, .expectedCommaOrEnd) }
        p += 1
        scanner.skipWhitespace(&p)
      }
      let record = try records.read(section, scanner, &p)
      state = .list(section, isFirst: false)
      count += 1
      try take(record)
    case .ended: break
    }
  }

  /// Reads a member of the document: `format`, `version`, or the name of a section and the start of
  /// its list.
  ///
  /// - Parameters:
  ///   - isFirst: whether no comma precedes the member.
  ///   - next: the number of the section that is expected after `format` and `version`.
  private func readMember(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, isFirst: Bool,
    after last: ExportRecord.Section?
  ) throws {
    if !isFirst {
      guard p.pointee == 0x2C else {
        if p.pointee == 0x7D, last == nil { throw unless(p, scanner, isOther: !hasFormat) }
        throw scanner.stop(p, .expectedCommaOrBrace)
      }
      p += 1
      scanner.skipWhitespace(&p)
    }
    let start = p
    guard p.pointee == 0x22 else { throw unless(p, scanner, isOther: isFirst) }
    var traits = JSONScanner.TextTraits()
    let key = String(decoding: try scanner.scanKey(&p, &traits).prefix(60), as: UTF8.self)
    let valueStart = p
    if !hasFormat {
      guard key == "format" else { throw otherKind(start) }
      try scanner.skipValue(&p, depth: 1)
      let value = UnsafeRawBufferPointer(start: valueStart, count: p - valueStart)
      guard value.elementsEqual("\"\(ExportFormat.name)\"".utf8) else {
        throw otherKind(valueStart)
      }
      hasFormat = true
      state = .header(isFirst: false)
    } else if !hasVersion {
      guard key == "version" else { throw ExportFault(at: start, "“version” was expected here") }
      guard p.pointee &- 0x30 < 10 else {
        throw ExportObject.fault(scanner, p, "“version” should be a whole number")
      }
      try scanner.scanNumber(&p)
      let value = UnsafeRawBufferPointer(start: valueStart, count: p - valueStart)
      try check(version: String(decoding: value.prefix(20), as: UTF8.self), at: valueStart)
      hasVersion = true
    } else {
      let next = section(after: last)
      guard let next, key == next.name else {
        let expected = next?.name ?? "the end"
        throw ExportFault(at: start, "“\(key)” was found where \(expected) was expected")
      }
      guard p.pointee == 0x5B else { throw ExportObject.fault(scanner, p, "a list was expected") }
      p += 1
      count = 0
      state = .list(next, isFirst: true)
    }
  }

  /// The section after another one, or the first one; nil after the last one.
  private func section(after last: ExportRecord.Section?) -> ExportRecord.Section? {
    sections.first { $0.rawValue > last?.rawValue ?? -1 }
  }

  private func check(version: String, at place: JSONScanner.Position) throws {
    guard let number = Int(version), number >= 1 else {
      throw ExportFault(at: place, "“version” should be a whole number of at least 1")
    }
    guard number <= ExportFormat.version else {
      throw OffersError(
        .newerDatabase,
        "\(name) was written by a newer version of offers: it has format \(number), at byte "
          + "\(input.offset(of: place)), and this one reads up to \(ExportFormat.version).",
        hint: "Nothing was changed. Install the newer version, then import it again.")
    }
    records.hasUsers = number >= ExportFormat.firstVersionWithUsers
    if !records.hasUsers { sections.removeAll { $0 == .users } }
  }

  private func unless(
    _ p: JSONScanner.Position, _ scanner: JSONScanner, isOther: Bool
  ) -> any Error {
    if p >= scanner.end { return scanner.stop(p, .expectedValue) }
    return isOther ? otherKind(p) : ExportFault(at: p, "a member was expected")
  }

  private func otherKind(_ place: JSONScanner.Position) -> OffersError {
    OffersError(
      .unexpectedShape,
      "\(name) is not an export of offers, at byte \(input.offset(of: place)): an export begins "
        + "with {\"format\":\"\(ExportFormat.name)\".",
      hint: Hint(
        "Nothing was changed. To read a feed, name it as the source of a sync.",
        command: "offers sync FEED --from FILE"))
  }

  private func malformed(_ address: UInt, _ reason: String) -> OffersError {
    let place = input.start + Int(bitPattern: address &- UInt(bitPattern: input.start))
    var position = "at byte \(input.offset(of: place))"
    if case .list(let section, _) = self.state { position += ", in \(section.noun) \(count + 1)" }
    if place >= input.end {
      let isEmpty = input.offset(of: place) == 0
      return OffersError(
        .malformedFeed, isEmpty ? "\(name) is empty." : "\(name) ends too early, \(position).",
        hint: "Nothing was changed. It may have been cut off on the way: copy or export it again.")
    }
    return OffersError(
      .malformedFeed, "\(name) is not a valid export, \(position): \(reason).",
      hint: "Nothing was changed. Correct it there, or export it again.")
  }
}
