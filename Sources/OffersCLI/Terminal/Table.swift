/// An aligned table. Its columns are as wide as its first rows need; the last one takes what is
/// left of the terminal and is cut there. What a person types back, such as an id, is never cut.
/// Without a terminal nothing is.
struct Table {
  struct Column {
    let title: String
    var isRight = false
    /// Shown whole however narrow the terminal is.
    var isWhole = false
  }

  private let columns: [Column]
  private let widths: [Int]
  private let totalWidth: Int?

  /// - Parameters:
  ///   - sample: the rows that decide how wide the columns are.
  ///   - totalWidth: the terminal's width; nil when there is none.
  init(columns: [Column], sample: [[String]], totalWidth: Int?) {
    self.columns = columns
    self.totalWidth = totalWidth
    let widest = columns.indices.map { index in
      sample.reduce(DisplayText.width(columns[index].title)) {
        max($0, DisplayText.width($1[index]))
      }
    }
    guard let totalWidth else {
      widths = widest
      return
    }
    let fixed = columns.indices.reduce(2 * (columns.count - 1)) {
      $0 + (columns[$1].isWhole ? widest[$1] : 0)
    }
    // One long value must not push the rest out of sight.
    let limit = max(4, min(max(12, totalWidth / 3), (totalWidth - fixed) / 2))
    widths = columns.indices.map { columns[$0].isWhole ? widest[$0] : min(widest[$0], limit) }
  }

  /// The column of the terminal that the last column of the table begins at, from 0, where its first
  /// rows are all.
  var lastColumnStart: Int { widths.dropLast().reduce(0) { $0 + $1 + 2 } }

  var header: String { line(columns.map(\.title)) }

  /// One row; its texts must be safe and without line ends.
  func line(_ cells: [String]) -> String {
    var line = ""
    var used = 0
    for (index, cell) in cells.enumerated() {
      if index > 0 {
        line += "  "
        used += 2
      }
      let isLast = index == cells.count - 1
      if isLast && !columns[index].isRight {
        line += totalWidth.map { DisplayText.fit(cell, max(1, $0 - used)) } ?? cell
        continue
      }
      let text =
        totalWidth == nil || columns[index].isWhole
        ? cell : DisplayText.fit(cell, widths[index])
      let gap = String(repeating: " ", count: max(0, widths[index] - DisplayText.width(text)))
      line += columns[index].isRight ? gap + text : text + gap
      used += max(widths[index], DisplayText.width(text))
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
