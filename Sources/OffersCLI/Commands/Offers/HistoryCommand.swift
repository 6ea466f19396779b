import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds

struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show the history of an offer's reward and texts.",
    usage: "offers history <id> [<options>]",
    discussion: """
      Shows when the reward or price changed, what the name, the description, the terms, the retailer \
      and the times were before they changed, and when the offer was gone and back; on a terminal also \
      as a chart, if the value is exact.

      EXAMPLES
        offers history 900117
        offers history ibotta:900117 --json
      """)

  @Argument(help: "The offer: 900117, or ibotta:900117 when several feeds have that id.")
  var id: String

  @Flag(.json) var json = false
  @OptionGroup var paged: PagerOptions
  @OptionGroup var location: UserDatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let database = try await location.open(.readOnly)
    let (offer, points) = try await database.fetchHistory(named: id)
    let feeds = try await configuration.path.presentations(of: offer.ref.feed, in: database)
    if json {
      return try Output.print(
        .json(pricedFeeds: feeds.pricedFeeds) { $0.value(historyOf: offer.offer, points) })
    }
    let lines = Self.lines(
      offer, feeds[offer.ref.feed], points, now: Date(), paged.terminal.style)
    try await paged.show { try Output.print(lines.joined(separator: "\n")) }
  }

  private static func lines(
    _ offer: UserOffer, _ presentation: FeedPresentation, _ points: [RewardPoint], now: Date,
    _ style: Style
  ) -> [PrintedText] {
    var lines = OfferCard.heading(
      offer, presentation, at: now, width: min(Terminal.width ?? 80, 100), style)
    let role = presentation.valueRole.rawValue
    lines += [.line(offer.ref.description), ""]
    guard points.count > 1 else {
      let text = "The \(role) has not changed since \(Units.time(offer.firstSeenAt))."
      return lines
        + (Terminal.width.map { DisplayText.wrap(text, $0) } ?? [text]).map(PrintedText.text)
    }
    if let width = Terminal.width {
      let chart = chart(points, until: offer.goneAt ?? now).lines(width: width)
      if !chart.isEmpty { lines += chart.map(PrintedText.text) + [""] }
    }
    let rows = points.map { point in
      [
        Units.time(point.at), DisplayText.oneLine(point.reward?.text ?? "–"), point.event.rawValue,
      ]
    }
    let table = Table(
      columns: [
        .whole("WHEN"), Table.Column(title: role.uppercased(), hasNumber: true), .text("EVENT"),
      ], sample: rows, totalWidth: Terminal.width)
    lines.append(style.bold(table.header))
    for (row, point) in zip(rows, points) {
      lines.append(.text(table.line(row)))
      lines += point.texts.flatMap { $0.lines(width: Terminal.width) }.map(PrintedText.text)
    }
    return lines
  }

  /// A chart of the exact rewards in the unit of the last one, percent or a currency. It has gaps
  /// for all other rewards and while the offer was gone.
  static func chart(_ points: [RewardPoint], until end: Date) -> StepChart {
    let steps = RewardStep.steps(of: points).map { step in
      StepChart.Step(
        at: step.at, value: step.value, label: step.reward?.value.map(Units.value) ?? "")
    }
    return StepChart(steps: steps, end: end)
  }
}

/// A chart of a value over time, drawn with block characters.
///
/// The height of a column is the value at the end of its interval of time; it is empty if there is
/// a gap.
struct StepChart {
  /// A value that holds from a time until the next step.
  struct Step {
    let at: Date
    /// The value; nil for a gap.
    let value: Int64?
    let label: String
  }

  /// The steps in ascending order of time.
  let steps: [Step]
  let end: Date

  /// The height of the chart in lines, and its allowed widths in columns, without labels.
  private static let height = 4
  private static let widths = 12...60
  private static let blocks = Array(" ▁▂▃▄▅▆▇█")

  /// The lines of the chart in at most this many columns: the highest and the lowest value on the
  /// left, the first and the last day below. Empty if there is no value or not enough room.
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

  /// The height of a column in eighths of a line; 0 for a gap.
  private func level(in column: Int, of columns: Int, _ low: Int64, _ high: Int64) -> Int {
    let span = end.timeIntervalSince(steps[0].at)
    let until = steps[0].at + span * Double(column + 1) / Double(columns)
    let isLast = column == columns - 1
    guard let value = steps.last(where: { isLast || $0.at < until })?.value else { return 0 }
    return Self.level(value, low, high)
  }

  /// The height of a value in eighths of a line. The lowest value fills half a line, the highest
  /// all lines; a constant value fills half of the lines.
  private static func level(_ value: Int64, _ low: Int64, _ high: Int64) -> Int {
    guard low < high else { return height * 4 }
    let share = (Double(value) - Double(low)) / (Double(high) - Double(low))
    return 4 + Int(clamped: (share * Double(height * 8 - 4)).rounded())
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
