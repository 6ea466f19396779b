import OffersCore

/// How a table is written: the delimiter of its cells, and the names of its columns.
///
/// Both are found in the first rows, unless the definition names them. Lines above the header, such as `sep=;` or a
/// comment, are passed over.
struct TableLayout {
  private(set) var delimiter: UInt8
  /// The header as the document has it, cell by cell; empty if the definition names the columns.
  private(set) var header: [String] = []
  /// A name for each column, which no other one has: a column without a name is `column 3`, a second `image` is
  /// `image 2`.
  private(set) var columns: [String]
  /// The number of columns up to the last one with a name.
  private(set) var namedCount: Int
  /// The number of bytes, and of lines, before the first row.
  private(set) var startBytes = 0
  private(set) var startLines = 0

  /// The number of bytes in which the layout is looked for.
  static let sampleBytes = 64 << 10
  private static let delimiters: [UInt8] = [0x09, 0x3B, 0x2C, 0x7C]
  /// The number of rows that are compared, and of those that may be the header.
  private static let rowLimit = 60
  private static let headerLimit = 20
  /// The number of cells of a row whose names are looked at.
  private static let cellLimit = 200

  /// Finds the layout of a table; nil if the text is none.
  ///
  /// - Parameters:
  ///   - text: the document's first bytes, in UTF-8: more than `sampleBytes`, or all of them.
  ///   - definition: names the delimiter, the columns and the values that are read. If it names the format, any
  ///     text with a line that may be a header is a table.
  static func find(in text: [UInt8], definition: FeedDefinition? = nil) -> TableLayout? {
    let sample = text.prefix(sampleBytes) + [UInt8](repeating: 0, count: InputBuffer.paddingBytes)
    let size = min(text.count, sampleBytes)
    return Array(sample).withUnsafeBufferPointer { bytes -> TableLayout? in
      guard let start = bytes.baseAddress else { return nil }
      var search = Search(
        start: start, end: start + size, isWhole: size == text.count,
        keys: definition.map { ItemKeys($0) }.flatMap { $0.hasAll ? nil : $0 },
        isDeclared: definition?.format == .csv)
      return search.find(delimiter: definition?.delimiter, names: definition?.header ?? [])
    }
  }

  /// Whether a text in which no layout is found is a table without names of columns: most of its rows have the same
  /// number of cells, and each of these a number or an address among them.
  static func lacksNames(_ text: [UInt8]) -> Bool {
    let size = min(text.count, sampleBytes)
    let sample = text.prefix(size) + [UInt8](repeating: 0, count: InputBuffer.paddingBytes)
    return Array(sample).withUnsafeBufferPointer { bytes -> Bool in
      guard let start = bytes.baseAddress else { return false }
      let search = Search(
        start: start, end: start + size, isWhole: size == text.count, keys: nil, isDeclared: false)
      return delimiters.contains(where: search.hasValues)
    }
  }

  /// The kind of a row.
  enum RowKind {
    case record
    /// An empty line, or the header again.
    case none
    /// The row has cells behind the last column. One of its cells may have a delimiter in it without quotes, so
    /// that its values are in other columns than their own.
    case tooLong
    /// The document is cut off in the row: it has no line end, and lacks cells.
    case cut
  }

  func kind(of row: TableScanner.Row) -> RowKind {
    let cells = row.cells
    if row.isBlank || isHeader(cells) { return .none }
    if cells.count > columns.count, !cells[columns.count...].allSatisfy(\.isEmpty) {
      return .tooLong
    }
    return row.isOpen && cells.count > 1 && cells.count < namedCount ? .cut : .record
  }

  private func isHeader(_ cells: [TableScanner.Cell]) -> Bool {
    guard cells.count == header.count, let first = cells.first, !first.isEncoded,
      first.count == header[0].utf8.count
    else { return false }
    return zip(cells, header).allSatisfy { ($0.value.comparedText ?? "").hasSameBytes(as: $1) }
  }

  /// Calls `body` with the first rows that are records, up to a limit.
  ///
  /// - Parameter text: the start of the document.
  func forEachRecord(in text: [UInt8], limit: Int, _ body: (TableScanner.Row) -> Void) {
    let padded = text + [UInt8](repeating: 0, count: InputBuffer.paddingBytes)
    padded.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      let end = start + text.count
      // Many quotes without an end would take quadratic time.
      let scanner = TableScanner(
        delimiter: delimiter, end: end, isFinal: true, quoteLimitBytes: 16 << 10)
      var row = TableScanner.Row()
      var p = start + startBytes
      var count = 0
      while p < end, count < limit, scanner.readAnyRow(&p, &row) {
        guard case .record = kind(of: row) else { continue }
        body(row)
        count += 1
      }
    }
  }

  // MARK: The names of columns

  private init(delimiter: UInt8, header: [String], isInDocument: Bool) {
    self.delimiter = delimiter
    self.header = isInDocument ? header : []
    columns = Self.unique(header)
    namedCount = (header.lastIndex { !$0.isBlank } ?? -1) + 1
  }

  private static func unique(_ header: [String]) -> [String] {
    var taken: Set<String> = []
    return header.enumerated().map { place, cell in
      var name = Self.name(cell)
      if place == 0, name.utf8.first == 0x23 { name = Self.name(String(name.dropFirst())) }
      if name.isEmpty { name = "column \(place + 1)" }
      var number = 2
      var unique = name
      while !taken.insert(unique).inserted {
        unique = "\(name) \(number)"
        number += 1
      }
      return unique
    }
  }

  /// The text of a header's cell on one line.
  private static func name(_ cell: String) -> String {
    let scalars = cell.unicodeScalars.map { $0.value < 0x20 || $0 == "\u{FEFF}" ? " " : $0 }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars.prefix(200))
    return text.trimmed()
  }

  /// The search for the layout in the first bytes.
  private struct Search {
    let start: TableScanner.Position
    let end: TableScanner.Position
    let isWhole: Bool
    /// The keys of the values that the definition reads; nil if they are not known.
    let keys: ItemKeys?
    let isDeclared: Bool
    /// Whether a cell is the name of an offer's value, for the cells that were looked at.
    var known: [String: Bool] = [:]

    private struct Row {
      /// The texts of the cells, for a row that may be the header.
      let cells: [String]
      let count: Int
      /// The number of bytes, and of lines, up to the end of the row.
      let endBytes: Int
      let endLines: Int
    }

    /// A row that may be the header. The candidates are compared by these numbers, in this order.
    private struct Candidate {
      let delimiter: UInt8
      let row: Row
      /// The number of cells that are names of an offer's values.
      let knownCount: Int
      /// The part of the rows behind it that have as many cells, from 0 to 1.
      let fit: Double
      /// The number of rows behind it.
      let rowCount: Int

      func isBetter(than other: Candidate?) -> Bool {
        guard let other else { return true }
        return (knownCount, fit, row.count) > (other.knownCount, other.fit, other.row.count)
      }
    }

    mutating func find(delimiter: UInt8?, names: [String]) -> TableLayout? {
      let stated = statedDelimiter()
      let tried = (delimiter ?? stated?.delimiter).map { [$0] } ?? TableLayout.delimiters
      var best: Candidate?
      for delimiter in tried {
        var rows = rows(delimiter, from: stated?.bytes ?? 0, lines: stated == nil ? 0 : 1)
        if !names.isEmpty {
          rows.insert(
            Row(
              cells: names, count: names.count, endBytes: stated?.bytes ?? 0,
              endLines: stated == nil ? 0 : 1), at: 0)
        }
        let places = names.isEmpty ? rows.indices.prefix(TableLayout.headerLimit) : 0..<1
        for place in places where !names.isEmpty || areNames(rows[place].cells) {
          let found = candidate(rows[place...], delimiter)
          if found.isBetter(than: best) { best = found }
        }
      }
      guard let best, isDeclared || isTable(best) else { return nil }
      var layout = TableLayout(
        delimiter: best.delimiter, header: best.row.cells, isInDocument: names.isEmpty)
      layout.startBytes = best.row.endBytes
      layout.startLines = best.row.endLines
      return layout
    }

    /// The delimiter in a first line such as `sep=;`, which Excel reads.
    private func statedDelimiter() -> (delimiter: UInt8, bytes: Int)? {
      let text = UnsafeRawBufferPointer(start: start, count: min(end - start, 16))
      let quote = text.first == 0x22 ? 1 : 0
      guard text.matches(quote == 1 ? "\"sep=" : "sep=", at: 0) == true else { return nil }
      var place = 4 + quote
      guard place < text.count, text[place] > 0x20 || text[place] == 0x09 else { return nil }
      let delimiter = text[place]
      place += 1 + quote
      guard place < text.count, text[place] == 0x0A || text[place] == 0x0D else { return nil }
      if text[place] == 0x0D, place + 1 < text.count, text[place + 1] == 0x0A { place += 1 }
      return (delimiter, place + 1)
    }

    /// The first rows that are not empty.
    private func rows(_ delimiter: UInt8, from offset: Int, lines: Int) -> [Row] {
      let scanner = TableScanner(delimiter: delimiter, end: end, isFinal: isWhole)
      var row = TableScanner.Row()
      var rows: [Row] = []
      var p = start + offset
      var lines = lines
      while p < end, rows.count < TableLayout.rowLimit, scanner.readAnyRow(&p, &row) {
        lines += row.lineCount
        if row.isBlank { continue }
        let mayBeHeader = rows.count < TableLayout.headerLimit
        rows.append(
          Row(
            cells: mayBeHeader ? row.cells.map { $0.value.comparedText ?? "" } : [],
            count: row.cells.count, endBytes: p - start, endLines: lines))
      }
      return rows
    }

    /// Whether rows of values are divided by a delimiter.
    func hasValues(_ delimiter: UInt8) -> Bool {
      let rows = rows(delimiter, from: 0, lines: 0).prefix(TableLayout.headerLimit)
      let groups = Dictionary(grouping: rows.filter { $0.count > 1 }, by: \.count).values
      return groups.contains { alike in
        alike.count > 1 && alike.count * 2 >= rows.count
          && alike.allSatisfy { row in
            row.cells.prefix(TableLayout.cellLimit).contains { cell in
              let bytes = cell.trimmed().utf8
              let isNumber =
                bytes.contains(where: CharacterScan.isDigit)
                && bytes.allSatisfy { CharacterScan.isDigit($0) || ".,-".utf8.contains($0) }
              return isNumber || cell.contains("://")
            }
          }
      }
    }

    /// Counts what speaks for the first row as the header of the others.
    private mutating func candidate(_ rows: ArraySlice<Row>, _ delimiter: UInt8) -> Candidate {
      let row = rows[rows.startIndex]
      let rest = rows.dropFirst()
      let named = (row.cells.lastIndex { !$0.isBlank } ?? 0) + 1
      let fitting = rest.count { $0.count == row.count || $0.count == named }
      let known = row.cells.prefix(TableLayout.cellLimit).count { isKnown($0) }
      return Candidate(
        // One name may stand in any row by chance.
        delimiter: delimiter, row: row, knownCount: known > 1 || isDeclared ? known : 0,
        fit: rest.isEmpty ? 0 : Double(fitting) / Double(rest.count), rowCount: rest.count)
    }

    /// Whether the text of no declared format is a table: it has a header with names of an offer's values, or
    /// several rows with the same number of cells.
    private func isTable(_ best: Candidate) -> Bool {
      let cells = best.row.cells
      if cells.count == 1 {
        let words = KeyWords(TableLayout.name(cells[0]))
        return best.rowCount > 0
          && [OfferField.id, .name, .url].contains { FieldNames.rank(words, as: $0) != nil }
      }
      if best.knownCount > 1 { return true }
      // The first line of a prose with commas has words of a sentence.
      return cells.count > 2 && best.rowCount > 1 && best.fit == 1
        && cells.allSatisfy { cell in
          cell.utf8.count <= 60 && cell.utf8.last != 0x2E && cell.utf8.count { $0 == 0x20 } <= 2
        }
    }

    /// Whether cells may be the names of columns: short texts, not numbers and not addresses, most of which are there.
    private func areNames(_ cells: [String]) -> Bool {
      let cells = cells.prefix(TableLayout.cellLimit)
      guard cells.count(where: { !$0.isBlank }) * 2 > cells.count, isDeclared || !isProse(cells)
      else { return false }
      return cells.allSatisfy { cell in
        if cell.isEmpty { return true }
        guard cell.utf8.count <= 300 else { return false }
        if keys?.contains(TableLayout.name(cell)) == true { return true }
        return cell.utf8.contains { CharacterScan.isLetter($0) || $0 >= 0x80 }
          && !cell.utf8.contains { "{}<>".utf8.contains($0) } && !cell.contains("://")
      }
    }

    /// Whether cells are the parts of a sentence between its commas: each begins with a space, and one has several
    /// words or ends the sentence.
    private func isProse(_ cells: ArraySlice<String>) -> Bool {
      cells.count > 1 && cells.dropFirst().allSatisfy { $0.utf8.first == 0x20 }
        && cells.contains { cell in
          let text = cell.trimmed().utf8
          return text.count { $0 == 0x20 } > 1 || text.last.map { ".!?".utf8.contains($0) } ?? false
        }
    }

    private mutating func isKnown(_ cell: String) -> Bool {
      if cell.isEmpty || cell.utf8.count > 60 { return false }
      if let found = known[cell] { return found }
      var isName = keys?.contains(TableLayout.name(cell)) == true
      // Of a declared table the names are known, unless the definition reads the whole row.
      if !isName, !isDeclared || keys == nil {
        let words = KeyWords(cell)
        isName =
          (1...5).contains(words.words.count)
          && OfferField.allCases.contains { FieldNames.rank(words, as: $0) != nil }
      }
      known[cell] = isName
      return isName
    }
  }
}
