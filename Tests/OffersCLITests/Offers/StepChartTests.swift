import Foundation
import OffersCore
import OffersFeeds
import Testing

@testable import OffersCLI

@Suite("The chart of a reward")
struct StepChartTests {
  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  private static func chart(_ steps: [(days: Double, cents: Int64?)], days: Double) -> StepChart {
    StepChart(
      steps: steps.map { step in
        StepChart.Step(
          at: start + step.days * 86_400, value: step.cents,
          label: step.cents.map { Units.value(.amount(minorUnits: $0, currency: "USD")) } ?? "")
      }, end: start + days * 86_400)
  }

  @Test("the chart shows each value over its time span, and a gap where there is none")
  func draws() {
    let chart = Self.chart([(0, 75), (4, 125), (8, 100), (10, nil), (12, 75)], days: 16)
    #expect(
      chart.lines(width: 38) == [
        "$1.25         ████████",
        "              ████████▂▂▂▂",
        "              ████████████",
        "$0.75 ▄▄▄▄▄▄▄▄████████████    ▄▄▄▄▄▄▄▄",
        "      \(Units.day(Self.start))            \(Units.day(Self.start + 16 * 86_400))",
      ])
  }

  @Test("a constant value is a flat line with one label")
  func flat() {
    let lines = Self.chart([(0, 75), (1, nil), (2, 75)], days: 3).lines(width: 80)
    #expect(lines.filter { $0.contains("$0.75") }.count == 1)
    #expect(lines.count == 5)
  }

  @Test("no line is wider than the terminal, and a terminal that is too narrow gets no chart")
  func width() {
    let chart = Self.chart([(0, 1), (1, 99_999_999), (2, 50)], days: 3)
    for width in 24...200 {
      let lines = chart.lines(width: width)
      #expect(lines.count == 5)
      for line in lines { #expect(DisplayText.width(line) <= width) }
    }
    #expect(chart.lines(width: 20) == [])
  }

  @Test("without exact values or a time span, no chart is drawn")
  func nothing() {
    #expect(Self.chart([(0, nil), (1, nil)], days: 3).lines(width: 80) == [])
    #expect(Self.chart([(0, 1), (0, 2)], days: 0).lines(width: 80) == [])
    #expect(Self.chart([], days: 1).lines(width: 80) == [])
  }

  @Test("extreme values do not overflow")
  func extremes() {
    #expect(Self.chart([(0, .min), (1, .max)], days: 2).lines(width: 80).count == 5)
  }

  @Test("values in another unit than the last one are left out")
  func units() {
    let rewards = [
      Reward(text: "2%", value: .percent(hundredths: 200)),
      Reward(text: "$1", value: .amount(minorUnits: 100, currency: "USD")),
      Reward(text: "1 CAD", value: .amount(minorUnits: 100, currency: "CAD")),
      Reward(text: "$2", value: .amount(minorUnits: 200, currency: "USD")), Reward(text: "Free"),
    ]
    let points = rewards.enumerated().map { index, reward in
      RewardPoint(at: Self.start + Double(index), event: .changed, reward: reward)
    }
    let chart = HistoryCommand.chart(
      points + [RewardPoint(at: Self.start + 9, event: .gone, reward: rewards[3])],
      until: Self.start + 10)
    #expect(chart.steps.map(\.value) == [nil, 100, nil, 200, nil, nil])
    #expect(chart.steps.map(\.label) == ["", "$1.00", "", "$2.00", "", ""])
  }

  @Test(
    "a terminal shows the chart above the table if the reward is exact",
    .enabled(if: PseudoTerminal.isPresent))
  func onTerminal() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea", "$0.75"), FeedItem("2", "Jam", "Free")])
    let next = try home.feed([FeedItem("1", "Tea", "$1.25"), FeedItem("2", "Jam", "Soon")])
    try await home.expect("sync", "--quiet", "--from", next)
    for (id, hasChart) in [("1", true), ("2", false)] {
      let shown = try PseudoTerminal.run(["history", id], in: home, columns: 60)
      #expect(shown.contains("█") == hasChart)
      #expect(shown.contains("WHEN"))
      for line in shown.split(separator: "\n") { #expect(DisplayText.width(String(line)) <= 60) }
    }
  }
}
