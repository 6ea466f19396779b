import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds

/// `offers history`
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

  @Argument(
    help: "The offer: 900117, or ibotta:900117 when several feeds have that id.")
  var id: String

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var paged: PagerOptions
  @OptionGroup var location: UserRecordOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let database = try await location.open(.readOnly)
    let (offer, points) = try await database.fetchHistory(named: id)
    let feeds = try await configuration.path.presentations(of: offer.ref.feed, in: database)
    if json {
      try Output.printData(Self.json(offer, points, feeds))
    } else {
      let lines = Self.lines(
        offer, feeds[offer.ref.feed], points, now: Date(), paged.terminal.style)
      try await paged.show { try Output.print(lines.joined(separator: "\n")) }
    }
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
        Table.Column(title: "WHEN", isWhole: true),
        Table.Column(title: role.uppercased(), hasNumber: true),
        Table.Column(title: "EVENT"),
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

  /// `{"ref","name","points":[{"at","event","reward","texts":[{"field","from","to"}]}]}`
  private static func json(
    _ offer: UserOffer, _ points: [RewardPoint], _ feeds: FeedPresentations
  ) -> String {
    var json = JSONWriter()
    json.pricedFeeds = feeds.pricedFeeds
    json.value(historyOf: offer.offer, points)
    return json.text
  }
}
