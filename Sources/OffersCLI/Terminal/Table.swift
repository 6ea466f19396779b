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
    var widest = Self.widest(columns, sample)
    guard let totalWidth else {
      widths = columns.indices.map {
        columns[$0].isWhole ? widest[$0] : min(widest[$0], Self.freeLimit)
      }
      return
    }
    // What is shown whole and longer than most moves the rest of its own row alone.
    for index in columns.indices where columns[index].isWhole {
      widest[index] = min(widest[index], max(16, totalWidth * 3 / 10))
    }
    let fixed = columns.indices.reduce(2 * (columns.count - 1)) {
      $0 + (columns[$1].isWhole ? widest[$1] : 0)
    }
    // One long value must not push the rest out of sight.
    let limit = max(4, min(max(12, totalWidth / 3), (totalWidth - fixed) / 2))
    let takesRest = columns.last.map { !$0.isWhole && !$0.isRight } ?? false
    let shrinking = columns.indices.filter { !columns[$0].isWhole }
    var widths = widest
    for index in shrinking { widths[index] = min(widest[index], takesRest ? limit : totalWidth) }
    var excess = shrinking.reduce(fixed - totalWidth) { $0 + widths[$1] }
    while excess > 0, let index = shrinking.max(by: { widths[$0] < widths[$1] }), widths[index] > 4
    {
      widths[index] -= 1
      excess -= 1
    }
    self.widths = widths
  }

  /// How many columns, from the left, have room on a terminal; one at least.
  static func countThatFits(_ columns: [Column], sample: [[String]], totalWidth: Int) -> Int {
    var used = 0
    for (index, width) in widest(columns, sample).enumerated() {
      used += (index > 0 ? 2 : 0) + (columns[index].isWhole ? width : min(width, fewestColumns))
      if used > totalWidth { return max(1, index) }
    }
    return columns.count
  }

  /// No value is filled up to more columns than this where there is no terminal.
  private static let freeLimit = 100
  /// Less of a value tells nothing.
  private static let fewestColumns = 8

  private static func widest(_ columns: [Column], _ sample: [[String]]) -> [Int] {
    columns.indices.map { index in
      sample.reduce(DisplayText.width(columns[index].title)) {
        max($0, DisplayText.width($1[index]))
      }
    }
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
        let isCut = !columns[index].isWhole
        line += totalWidth.map { isCut ? DisplayText.fit(cell, max(1, $0 - used)) : cell } ?? cell
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
