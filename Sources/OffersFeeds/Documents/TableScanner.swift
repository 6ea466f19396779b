import OffersCore

/// Reads the rows of a table, one at a time: cells between delimiters, in quotes where a cell has a delimiter,
/// a quote or a line end in it (RFC 4180). A line ends with LF, CRLF or CR.
///
/// Two deviations from the RFC are read as they are meant: spaces around a cell, and a quote that is not doubled in
/// a quoted cell of one line, as in `"5" pipe"`.
struct TableScanner {
  typealias Position = UnsafePointer<UInt8>

  /// A cell, in the bytes that are scanned.
  struct Cell {
    let start: Position
    let count: Int
    let isASCII: Bool
    /// Whether doubled quotes, CRs or NULs in the bytes stand for something else.
    let isEncoded: Bool

    var isEmpty: Bool { count == 0 }
  }

  struct Row {
    var cells: [Cell] = []
    /// The number of line ends in the row and behind it.
    var lineCount = 0
    /// Whether the document ends behind the row, without a line end.
    var isOpen = false

    /// Whether all cells are empty, as in an empty line.
    var isBlank: Bool { cells.allSatisfy(\.isEmpty) }
  }

  /// The reason why a row is not read.
  enum Stop: Error {
    /// The end of the row has not arrived.
    case needsMore
    /// A quoted cell has no end, or continues on another line and then has a quote that is neither doubled nor its
    /// end. `isAtEnd` is true if the document ends in the cell; `bytes` were read in vain.
    case unclosedQuote(isAtEnd: Bool, bytes: Int)
    case tooLong
  }

  let delimiter: UInt8
  /// The end of the bytes, behind which there are zeros.
  let end: Position
  /// Whether the document ends at `end`.
  let isFinal: Bool
  /// The number of bytes of a row after which a quoted text may not continue on another line.
  var quoteLimitBytes = Self.rowLimitBytes

  /// The largest size of a row, in bytes.
  static let rowLimitBytes = 1 << 20

  /// Reads the row at `p`, and moves `p` past its line end.
  ///
  /// - Parameter readsQuotes: false to read quotes as any other character.
  func readRow(
    _ p: inout Position, _ row: inout Row, readsQuotes: Bool = true
  ) throws(Stop) {
    row.cells.removeAll(keepingCapacity: true)
    row.lineCount = 1
    let limit = p + Self.rowLimitBytes
    var q = p
    while true {
      while q.pointee == 0x20 { q += 1 }
      if readsQuotes, q.pointee == 0x22 {
        try readQuoted(&q, &row, limit)
      } else {
        try readPlain(&q, &row, limit)
      }
      guard q < end, q.pointee == delimiter else { break }
      q += 1
    }
    if q > limit { throw .tooLong }
    row.isOpen = q >= end
    if !row.isOpen {
      if q.pointee == 0x0D {
        if q + 1 >= end, !isFinal { throw .needsMore }
        if q[1] == 0x0A { q += 1 }
      }
      q += 1
    }
    p = q
  }

  /// Reads the row at `p`, without regard to quotes if one of them has no end. Returns false if there is no whole row.
  func readAnyRow(_ p: inout Position, _ row: inout Row) -> Bool {
    do throws(Stop) {
      do throws(Stop) {
        try readRow(&p, &row)
      } catch .unclosedQuote {
        try readRow(&p, &row, readsQuotes: false)
      }
      return true
    } catch {
      return false
    }
  }

  private func readPlain(
    _ q: inout Position, _ row: inout Row, _ limit: Position
  ) throws(Stop) {
    let start = q
    var union: UInt8 = 0
    var hasNUL = false
    while true {
      let byte = q.pointee
      if byte == delimiter || byte == 0x0A || byte == 0x0D { break }
      if byte == 0 {
        if q >= end { break }
        hasNUL = true
      }
      union |= byte
      q += 1
    }
    if q >= end {
      if q > limit { throw .tooLong }
      if !isFinal { throw .needsMore }
    }
    var last = q
    while last > start, isSpace(last[-1]) { last -= 1 }
    row.cells.append(
      Cell(start: start, count: last - start, isASCII: union < 0x80, isEncoded: hasNUL))
  }

  private func readQuoted(
    _ q: inout Position, _ row: inout Row, _ limit: Position
  ) throws(Stop) {
    let lineLimit = limit - Self.rowLimitBytes + quoteLimitBytes
    q += 1
    let start = q
    var union: UInt8 = 0
    var isEncoded = false
    var lineCount = 0
    while true {
      let byte = q.pointee
      union |= byte
      if byte == 0x22 {
        if q > limit { throw .unclosedQuote(isAtEnd: false, bytes: q - start) }
        if q + 1 >= end, !isFinal { throw .needsMore }
        if q[1] == 0x22 {
          isEncoded = true
          q += 2
          continue
        }
        var behind = q + 1
        while isSpace(behind.pointee) { behind += 1 }
        if behind >= end, !isFinal, behind <= limit { throw .needsMore }
        if behind >= end || behind.pointee == delimiter || isLineEnd(behind.pointee) {
          row.cells.append(
            Cell(start: start, count: q - start, isASCII: union < 0x80, isEncoded: isEncoded))
          row.lineCount += lineCount
          q = behind
          return
        }
        if lineCount > 0 { throw .unclosedQuote(isAtEnd: false, bytes: q - start) }
      } else if byte <= 0x0D {
        if lineCount > 0, q > lineLimit { throw .unclosedQuote(isAtEnd: false, bytes: q - start) }
        if byte == 0 {
          if q >= end {
            if q > limit { throw .unclosedQuote(isAtEnd: false, bytes: q - start) }
            throw isFinal ? .unclosedQuote(isAtEnd: true, bytes: q - start) : .needsMore
          }
          isEncoded = true
        } else if byte == 0x0A {
          lineCount += 1
        } else if byte == 0x0D {
          isEncoded = true
          if q[1] != 0x0A { lineCount += 1 }
        }
      }
      q += 1
    }
  }

  @inline(__always)
  private func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 && delimiter != 0x09
  }

  @inline(__always)
  private func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}

extension TableScanner.Cell {
  /// The text of the cell: without doubled quotes, with LF for CRLF and CR, and with U+FFFD for NUL and invalid
  /// UTF-8. Of `="0123"`, with which programs keep Excel from reading a number, it is `0123`.
  var value: RecordValue {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    if count == 0 { return .null }
    if isEncoded || bytes[0] == 0x3D { return decoded(bytes) }
    if isASCII { return .text(String(decoding: bytes, as: UTF8.self)) }
    if let text = String(validating: bytes, as: UTF8.self) { return .text(text) }
    return .mendedText(String(decoding: bytes, as: UTF8.self))
  }

  private func decoded(_ bytes: UnsafeRawBufferPointer) -> RecordValue {
    var text: [UInt8] = []
    text.reserveCapacity(count)
    var isMended = false
    var index = 0
    while index < count {
      let byte = bytes[index]
      let next = index + 1 < count ? bytes[index + 1] : 0
      if byte == 0 {
        text += "\u{FFFD}".utf8
        isMended = true
      } else if byte == 0x0D {
        text.append(0x0A)
        if next == 0x0A { index += 1 }
      } else {
        text.append(byte)
        if isEncoded, byte == 0x22, next == 0x22 { index += 1 }
      }
      index += 1
    }
    if text.count >= 3, text[0] == 0x3D, text[1] == 0x22, text[text.count - 1] == 0x22 {
      text = Array(text[2..<(text.count - 1)])
    }
    if text.isEmpty { return .null }
    if !isMended, let valid = String(validating: text, as: UTF8.self) { return .text(valid) }
    return .mendedText(String(decoding: text, as: UTF8.self))
  }
}
