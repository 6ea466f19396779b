/// An aligned table of text.
///
/// The widths of its columns are computed from a sample of the rows. On a terminal, values are
/// truncated to the widths of their columns, and the last column gets the remaining width. Values
/// that users type again, such as ids, are never truncated: a row with a long one may take further
/// lines, and if most rows would, or the columns do not fit otherwise, the columns of every row are
/// distributed over several lines. Numbers, such as prices and counts, are not truncated either, but the
/// words around them are. Without a terminal nothing is truncated.
struct Table {
  struct Column {
    let title: String
    var isRight = false
    /// Whether the values of the column are never truncated.
    var isWhole = false
    /// Whether values are shortened in the middle, such as addresses, whose ends tell them apart.
    var isCutInMiddle = false
    /// Whether the number in a value is never truncated, as that of a price is not.
    var hasNumber = false
    /// The width of the widest number of the sample; 0 for a column without numbers.
    var numberWidth = 0

    static func text(_ title: String) -> Column { Column(title: title) }
    static func whole(_ title: String) -> Column { Column(title: title, isWhole: true) }
    static func right(_ title: String) -> Column { Column(title: title, isRight: true) }
  }

  /// The text of a table for the width of the terminal: its header, and all of its rows.
  static func text<Row>(
    _ columns: [Column], _ rows: [Row], _ cells: (Row) -> [String]
  ) -> String {
    let rows = rows.map(cells)
    let table = Table(columns: columns, sample: rows, totalWidth: Terminal.width)
    return ([table.header] + rows.map(table.line)).joined(separator: "\n")
  }

  private let columns: [Column]
  private let widths: [Int]
  private let totalWidth: Int?
  /// The columns of each line into which a row is divided.
  private let parts: [[Int]]

  init(columns: [Column], sample: [[String]], totalWidth: Int?) {
    let columns = Self.withNumberWidths(columns, sample)
    self.columns = columns
    self.totalWidth = totalWidth
    let widest = Self.widest(columns, sample)
    guard let totalWidth else {
      widths = columns.indices.map {
        columns[$0].isWhole ? widest[$0] : min(widest[$0], Self.freeLimit)
      }
      parts = [Array(columns.indices)]
      return
    }
    let capped = Self.capped(widest, columns, sample, totalWidth)
    if !Self.fits(widest, columns, totalWidth, least: (12, 24)),
      Self.fits(capped, columns, totalWidth, least: Self.least),
      2 * sample.count(where: { Self.isLong($0, capped, columns) }) <= sample.count
    {
      parts = [Array(columns.indices)]
      widths = Self.shrunk(capped, columns, parts, totalWidth)
    } else {
      let parts = Self.parts(widest, columns, totalWidth)
      let split = parts.count > 2 ? Self.splitOff(widest, columns, totalWidth) : nil
      self.parts = split ?? parts.map(Array.init)
      widths = Self.shrunk(widest, columns, self.parts, totalWidth)
    }
  }

  /// The number of columns, at least 1, that fit on one line from the left with their least widths.
  static func countThatFits(_ columns: [Column], sample: [[String]], totalWidth: Int) -> Int {
    max(1, parts(widest(columns, sample), withNumberWidths(columns, sample), totalWidth)[0].count)
  }

  /// The columns with the widths of their numbers. A right-aligned column has numbers.
  private static func withNumberWidths(_ columns: [Column], _ sample: [[String]]) -> [Column] {
    columns.enumerated().map { index, column in
      var column = column
      if column.isRight { column.hasNumber = true }
      if column.hasNumber {
        column.numberWidth = sample.reduce(0) { max($0, DisplayText.numberWidth($1[index])) }
      }
      return column
    }
  }

  // MARK: Column widths

  /// The largest width, without a terminal, of a column whose values may be truncated on a
  /// terminal. A longer value is printed in full and shifts the columns after it.
  private static let freeLimit = 100
  /// The least widths of columns whose values may be truncated: of those before the last column,
  /// and of the last. They decide which columns share a line.
  private static let least = (inside: 8, last: 24)
  /// The least width of a last column whose values are shortened in the middle.
  private static let leastInMiddle = 32
  /// The indentation, in columns of the terminal, of a range of columns after the first, and of a
  /// long whole value on a line of its own.
  private static let indent = 4

  private static func widest(_ columns: [Column], _ sample: [[String]]) -> [Int] {
    columns.indices.map { index in
      sample.reduce(DisplayText.width(columns[index].title)) {
        max($0, DisplayText.width($1[index]))
      }
    }
  }

  /// The widths with each column of whole values limited to 30 % of the terminal, or 16 if that is
  /// more: a wider column gets the width of its title or its longest value within the limit.
  private static func capped(
    _ widest: [Int], _ columns: [Column], _ sample: [[String]], _ totalWidth: Int
  ) -> [Int] {
    let cap = max(16, totalWidth * 3 / 10)
    return columns.indices.map { index in
      guard columns[index].isWhole, widest[index] > cap else { return widest[index] }
      return sample.lazy.map { DisplayText.width($0[index]) }.filter { $0 <= cap }
        .reduce(DisplayText.width(columns[index].title), max)
    }
  }

  /// Whether a row has a whole value that is wider than its column.
  private static func isLong(_ row: [String], _ widths: [Int], _ columns: [Column]) -> Bool {
    columns.indices.contains { columns[$0].isWhole && DisplayText.width(row[$0]) > widths[$0] }
  }

  /// The least width of a column: its full width for whole values, otherwise at most that in
  /// `least`.
  private static func leastWidth(
    _ index: Int, _ widths: [Int], _ columns: [Column], _ least: (inside: Int, last: Int)
  ) -> Int {
    if columns[index].isWhole { return widths[index] }
    let number = columns[index].numberWidth
    if index < columns.count - 1 { return max(number, min(widths[index], least.inside)) }
    return max(
      number, min(widths[index], columns[index].isCutInMiddle ? leastInMiddle : least.last))
  }

  private static func fits(
    _ widths: [Int], _ columns: [Column], _ totalWidth: Int, least: (inside: Int, last: Int)
  ) -> Bool {
    columns.indices.reduce(2 * (columns.count - 1)) {
      $0 + leastWidth($1, widths, columns, least)
    } <= totalWidth
  }

  /// The ranges of columns into which each row is divided: as many columns as fit on a line with
  /// their least widths.
  private static func parts(
    _ widths: [Int], _ columns: [Column], _ totalWidth: Int
  ) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = 0
    var used = 0
    for index in columns.indices {
      let width = leastWidth(index, widths, columns, least)
      // Columns that are together no wider than the indentation, such as the star, do not get a
      // line of their own.
      if used > indent, used + 2 + width > totalWidth {
        parts.append(start..<index)
        start = index
        used = indent + width
      } else {
        used += (index > start ? 2 : 0) + width
      }
    }
    return parts + [start..<columns.count]
  }

  /// Two lines, of which the second has only the widest column of whole values, such as ids that are
  /// addresses; nil if the other columns do not fit on the first.
  private static func splitOff(
    _ widths: [Int], _ columns: [Column], _ totalWidth: Int
  ) -> [[Int]]? {
    let whole = columns.indices.filter { columns[$0].isWhole }
    guard let long = whole.max(by: { widths[$0] < widths[$1] }) else { return nil }
    let others = columns.indices.filter { $0 != long }
    let used = others.reduce(2 * (others.count - 1)) {
      $0 + leastWidth($1, widths, columns, least)
    }
    return used <= totalWidth ? [others, [long]] : nil
  }

  /// The widths with columns of truncatable values reduced until each line fits the terminal, the
  /// widest first, but to no less than 4 and their numbers.
  private static func shrunk(
    _ widest: [Int], _ columns: [Column], _ parts: [[Int]], _ totalWidth: Int
  ) -> [Int] {
    var widths = widest
    for (number, part) in parts.enumerated() {
      guard let last = part.last else { continue }
      let room = totalWidth - (number > 0 ? indent : 0) - 2 * (part.count - 1)
      let fixed = part.reduce(0) { $0 + (columns[$1].isWhole ? widest[$1] : 0) }
      let shrinking = part.filter { !columns[$0].isWhole }
      // In a range of several truncatable columns that ends with a left-aligned one, each is
      // limited to a third of the terminal, and to half of the room beside whole values. So one
      // long value does not take the room of the others.
      let takesRest = columns[last].isRight == false && shrinking.count > 1
      let limit = max(least.inside, min(max(12, totalWidth / 3), (room - fixed) / 2))
      for index in shrinking {
        widths[index] = max(
          columns[index].numberWidth, min(widest[index], takesRest ? limit : room))
      }
      func widestOf(_ indices: [Int], above least: Int) -> Int? {
        indices.filter { widths[$0] > max(least, columns[$0].numberWidth) }
          .max { widths[$0] < widths[$1] }
      }
      if takesRest, !columns[last].isWhole {
        // The last column, which takes the rest, gets its least width before the others.
        widths[last] = max(
          widths[last], leastWidth(last, widest, columns, least))
        var excess = shrinking.reduce(fixed - room) { $0 + widths[$1] }
        let inside = shrinking.filter { $0 != last }
        while excess > 0, let index = widestOf(inside, above: least.inside) {
          widths[index] -= 1
          excess -= 1
        }
      }
      var excess = shrinking.reduce(fixed - room) { $0 + widths[$1] }
      while excess > 0, let index = widestOf(shrinking, above: 4) {
        widths[index] -= 1
        excess -= 1
      }
    }
    return widths
  }

  // MARK: Printing

  var header: String { line(columns.map(\.title)) }

  /// The text of a row, in one or several lines. The cells must be texts as `DisplayText.oneLine`
  /// returns them.
  func line(_ cells: [String]) -> String {
    line(cells) { room in
      guard let column = columns.last, let cell = cells.last else { return "" }
      return .text(column.isWhole ? cell : fitted(cell, column, room))
    }.rendered(isTerminal: false)
  }

  /// The text of a row whose last cell depends on the available width.
  ///
  /// - Parameter last: makes the last cell, given the number of available columns; nil without a terminal.
  ///   It is not called for a right-aligned last column, nor for a whole value on a line of its
  ///   own.
  func line(_ cells: [String], last: (Int?) -> PrintedText) -> PrintedText {
    let lines = parts.enumerated().flatMap {
      self.lines($1, isFirst: $0 == 0, cells, last)
    }
    return lines.filter { !$0.isEmpty || lines.count == 1 }.joined(separator: "\n")
  }

  /// The lines for a part of the columns: more than one if a whole value is too long for its column.
  private func lines(
    _ part: [Int], isFirst: Bool, _ cells: [String], _ last: (Int?) -> PrintedText
  ) -> [PrintedText] {
    var lines: [PrintedText] = []
    var line = String(repeating: " ", count: isFirst ? 0 : Self.indent)
    func endLine(_ end: PrintedText = "") {
      let text: PrintedText = "\(line)\(end)"
      lines.append(text.withoutTrailingSpaces())
      line = ""
    }
    /// The position at which the current column begins.
    var start = line.count
    for index in part {
      if index != part.first {
        // After a value that is too long, the next column continues on a new line at its position.
        if totalWidth != nil, DisplayText.width(line) > start { endLine() }
        start += 2
      }
      let width = DisplayText.width(cells[index])
      if let totalWidth, columns[index].isWhole, start > Self.indent, start + width > totalWidth {
        endLine()
        line = DisplayText.pad("", Self.indent) + cells[index]
        endLine()
      } else if index == columns.count - 1, !columns[index].isRight {
        line = DisplayText.pad(line, start)
        endLine(last(totalWidth.map { max(1, $0 - start) }))
        return lines
      } else {
        line = DisplayText.pad(line, start) + padded(cells[index], index)
      }
      start += widths[index]
    }
    endLine()
    return lines
  }

  private func padded(_ cell: String, _ index: Int) -> String {
    let text =
      totalWidth == nil || columns[index].isWhole
      ? cell : fitted(cell, columns[index], widths[index])
    return columns[index].isRight
      ? DisplayText.padLeft(text, widths[index]) : DisplayText.pad(text, widths[index])
  }

  private func fitted(_ cell: String, _ column: Column, _ width: Int?) -> String {
    guard let width else { return cell }
    if column.hasNumber { return DisplayText.fitNumber(cell, width) }
    return column.isCutInMiddle
      ? DisplayText.fitMiddle(cell, width) : DisplayText.fit(cell, width)
  }
}
