import Foundation
import OffersCore

/// A value over time, drawn with block characters: each column as high as the value was last in
/// its stretch of time, and empty where there was none.
struct StepChart {
  /// From when on a value holds.
  struct Step {
    let at: Date
    /// Nil where there is nothing to draw.
    let value: Int64?
    let label: String
  }

  /// In the order of time.
  let steps: [Step]
  /// Until when the last one is drawn.
  let end: Date

  /// Lines of the drawing, and the columns it has at least and at most.
  private static let height = 4
  private static let widths = 12...60
  private static let blocks = Array(" ▁▂▃▄▅▆▇█")

  /// The drawing in lines of at most so many columns: the highest and the lowest value to the left,
  /// the first and the last day below. Empty when there is nothing to draw or no room.
  func lines(width: Int) -> [String] {
    let drawn = steps.filter { $0.value != nil }
    guard let first = steps.first, let low = drawn.min(by: { $0.number < $1.number }),
      let high = drawn.max(by: { $0.number < $1.number }), end > first.at
    else { return [] }
    let labelWidth = max(DisplayText.width(low.label), DisplayText.width(high.label))
    let columns = min(width - labelWidth - 1, Self.widths.upperBound)
    guard columns >= Self.widths.lowerBound else { return [] }
    let levels = (0..<columns).map { level(in: $0, of: columns, low.number, high.number) }
    let top = (Self.level(high.number, low.number, high.number) - 1) / 8
    var lines: [String] = []
    for row in (0..<Self.height).reversed() {
      let label = row == top ? high.label : row == 0 && low.number < high.number ? low.label : ""
      let blocks = levels.map { Self.blocks[min(8, max(0, $0 - row * 8))] }
      lines.append(DisplayText.padLeft(label, labelWidth) + " " + String(blocks))
    }
    lines.append(String(repeating: " ", count: labelWidth + 1) + axis(first.at, columns))
    return lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
  }

  /// The height of a column in eighths of a line; 0 where nothing is drawn.
  private func level(in column: Int, of columns: Int, _ low: Int64, _ high: Int64) -> Int {
    let span = end.timeIntervalSince(steps[0].at)
    let until = steps[0].at + span * Double(column + 1) / Double(columns)
    let isLast = column == columns - 1
    guard let value = steps.last(where: { isLast || $0.at < until })?.value else { return 0 }
    return Self.level(value, low, high)
  }

  /// The lowest value fills half a line, the highest all of them; a value alone fills half.
  private static func level(_ value: Int64, _ low: Int64, _ high: Int64) -> Int {
    guard low < high else { return height * 4 }
    let share = (Double(value) - Double(low)) / (Double(high) - Double(low))
    return 4 + Int((share * Double(height * 8 - 4)).rounded())
  }

  private func axis(_ start: Date, _ columns: Int) -> String {
    var ends = [Units.day(start), Units.day(end)]
    if ends[0] == ends[1] { ends = [Units.time(start), Units.time(end)] }
    let gap = columns - ends[0].count - ends[1].count
    return gap < 2 ? ends[0] : ends[0] + String(repeating: " ", count: gap) + ends[1]
  }
}

extension StepChart.Step {
  fileprivate var number: Int64 { value ?? 0 }
}
