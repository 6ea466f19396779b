import OffersCore

/// Reads a table as a stream: each row is an object with the columns' names as its keys.
///
/// Memory use is bounded by the largest row (1 MiB at most), whatever the document's length. A row that cannot be
/// read affects that row only, and is reported with its line.
final class TableFeedReader: FormatReader {
  private var assembler: OfferAssembler
  private let sink: any OfferSink
  private let input = InputBuffer(limitBytes: 2 * TableScanner.rowLimitBytes)
  private let layout: TableLayout
  /// The columns that a rule may read.
  private let read: [Int]
  /// The number of bytes of the document, its header and what is above it, that are still to be passed over.
  private var passBytes: Int
  /// The number of lines before the next row.
  private var lines: Int
  private(set) var itemCount = 0
  /// The number of bytes that were read for quoted texts without an end.
  private var vainBytes = 0

  /// - Parameter start: the document's first bytes, as `TableLayout.find` takes them.
  /// - Throws: `OffersError` with `malformedFeed` if they are no table.
  init(
    _ definition: FeedDefinition, start: [UInt8], assembler: OfferAssembler, sink: any OfferSink
  ) throws {
    self.assembler = assembler
    self.sink = sink
    guard let layout = TableLayout.find(in: start, definition: definition) else {
      throw Self.noTable(start)
    }
    self.layout = layout
    read = layout.columns.indices.filter { assembler.itemKeys.contains(layout.columns[$0]) }
    passBytes = layout.startBytes
    lines = layout.startLines
  }

  private static let vainLimitBytes = 16 << 20

  private static func noTable(_ start: [UInt8]) -> OffersError {
    guard let first = start.first(where: { $0 > 0x20 }) else {
      return OffersError(
        .malformedFeed, "The document is empty.",
        hint: "Nothing was changed. Check the source, then sync again.")
    }
    let kind = first == 0x7B || first == 0x5B ? "The document is JSON, not a table." : nil
    return OffersError(
      .malformedFeed, kind ?? "The document is not a table: no line of it has names of columns.",
      hint: "Nothing was changed. Check the source, or name the columns in header:.")
  }

  func consume(_ bytes: UnsafeRawBufferPointer) throws {
    let passed = min(passBytes, bytes.count)
    passBytes -= passed
    try input.take(bytes.tail(from: passed), limitBytes: TableScanner.rowLimitBytes) {
      try readRows(isFinal: false)
    }
  }

  func finish() throws {
    try readRows(isFinal: true)
  }

  let lacksOnlyList = false
  let shapeHint: String? = nil

  var shapeProblem: String? {
    if !read.isEmpty { return nil }
    let columns = layout.columns.prefix(12).joined(separator: ", ")
    return "None of the table's columns is one that the definition reads. They are: \(columns)."
  }

  private func readRows(isFinal: Bool) throws {
    var scanner = TableScanner(delimiter: layout.delimiter, end: input.end, isFinal: isFinal)
    var row = TableScanner.Row()
    var p = input.start
    defer { input.consume(to: p) }
    while p < input.end {
      var isUnclosed = false
      do throws(TableScanner.Stop) {
        do throws(TableScanner.Stop) {
          try scanner.readRow(&p, &row)
        } catch .unclosedQuote(let isAtEnd, let bytes) {
          isUnclosed = true
          if isAtEnd, isCut(p, scanner) { throw .unclosedQuote(isAtEnd: true, bytes: bytes) }
          // To look for many such ends up to the end of the document would take quadratic time.
          vainBytes += bytes
          let isVain = vainBytes > Self.vainLimitBytes + 8 * input.offset(of: p)
          scanner.quoteLimitBytes = isVain ? 1 << 10 : TableScanner.rowLimitBytes
          try scanner.readRow(&p, &row, readsQuotes: false)
        }
      } catch {
        switch error {
        case .needsMore: return
        case .tooLong:
          throw OffersError(
            .limitExceeded,
            "A row is larger than \(TableScanner.rowLimitBytes >> 20) MiB, at line \(lines + 1).",
            hint: "Nothing was changed. Check that the source is an offers feed.")
        case .unclosedQuote: throw cut("in the quoted text that begins", line: lines + 1)
        }
      }
      try take(row, isUnclosed: isUnclosed)
    }
  }

  /// Whether the document is cut off in a quoted text that begins in the row at `p`. It is not if the first line, and
  /// the one behind it, are whole rows without regard to quotes: then a quote lacks its end.
  private func isCut(_ p: TableScanner.Position, _ scanner: TableScanner) -> Bool {
    var p = p
    var row = TableScanner.Row()
    do throws(TableScanner.Stop) {
      try scanner.readRow(&p, &row, readsQuotes: false)
      if row.isOpen || row.cells.count < layout.columns.count { return true }
      if p < scanner.end { try scanner.readRow(&p, &row, readsQuotes: false) }
    } catch {
      return true
    }
    return row.cells.count < layout.columns.count && !row.isBlank
  }

  private func take(_ row: TableScanner.Row, isUnclosed: Bool) throws {
    let line = lines + 1
    lines += row.lineCount
    let kind = layout.kind(of: row)
    if case .none = kind { return }
    itemCount += 1
    let isWide = row.cells.count == layout.columns.count
    switch kind {
    case .cut where !isUnclosed: throw cut("in the row", line: line)
    case .record where !isUnclosed || isWide:
      var note: String?
      if isUnclosed {
        note = "line \(line) has a quote without an end, kept"
      } else if row.cells.count < layout.namedCount {
        note = "line \(line) has \(row.cells.count) of \(layout.columns.count) cells"
      }
      try assembler.deliver(
        record(of: row), isFull: false, to: sink, position: itemCount, line: line, note: note)
    default:
      let reason =
        isUnclosed
        ? "a quote without an end"
        : "\(row.cells.count) cells, where the header has \(layout.columns.count)"
      sink.skip(
        id: assembler.id(of: record(of: row)), position: itemCount,
        reason: "\(reason) (line \(line))")
    }
  }

  private func record(of row: TableScanner.Row) -> RecordValue {
    var members: [RecordValue.Member] = []
    members.reserveCapacity(read.count)
    for place in read where place < row.cells.count {
      members.append(.init(key: layout.columns[place], value: row.cells[place].value))
    }
    return .object(members)
  }

  private func cut(_ place: String, line: Int) -> OffersError {
    OffersError(
      .malformedFeed, "The document ends too early, \(place) at line \(line).",
      hint: "Nothing was changed. It may have been cut off on the way: sync again.")
  }
}
