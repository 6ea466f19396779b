import Foundation
import OffersCore

/// The chart of an offer's reward or price over time: a step function as an SVG path, and its points as a
/// table.
struct HistoryChart {
  private let points: [RewardPoint]
  private let steps: [RewardStep]
  private let end: Date
  /// The word for the values, such as `Reward`.
  private let word: String

  private static let width = 600.0
  private static let height = 120.0
  /// The space above and below the line, in the units of the height.
  private static let margin = 8.0

  /// - Parameter end: where the line ends: now, or the time when the offer was gone.
  /// - Returns: nil for an offer that has not changed since it was first seen.
  init?(_ points: [RewardPoint], _ role: ValueRole, until end: Date) {
    guard points.count > 1 else { return nil }
    self.points = points
    word = role.rawValue.capitalized
    self.end = max(end, points.last?.at ?? end)
    steps = RewardStep.steps(of: points)
  }

  var fields: PageFields {
    PageFields { fields in
      fields.set("valueWord", word)
      fields.set(
        "points",
        rows.reversed().compactMap { row -> PageFields? in
          guard let last = points[row].last else { return nil }
          // The way of a reward begins with the value before it.
          let way = row.count > 1 ? points[row.lowerBound - 1..<row.upperBound] : points[row]
          return [
            "at": last.at, "pointReward": ValueWay.text(way.map { $0.reward?.text ?? "–" }),
            "event": row.count > 1 ? "Up and down" : Self.words(last.event),
            "textChanges": points[row].flatMap(\.texts).map(PageFields.init),
          ]
        })
      guard let drawing else { return }
      fields.set("chart", drawing)
    }
  }

  /// The rows of the table: the places of the points of each. A reward that goes to and fro between two values has one.
  private var rows: [Range<Int>] {
    let moves: Set<OfferChange.Kind> = [.up, .down]
    var rows: [Range<Int>] = []
    for (place, point) in points.enumerated() {
      if place > 1, moves.contains(point.event), moves.contains(points[place - 1].event),
        point.reward?.text == points[place - 2].reward?.text, let last = rows.popLast()
      {
        rows.append(last.lowerBound..<place + 1)
      } else {
        rows.append(place..<place + 1)
      }
    }
    return rows
  }

  /// The line and its labels; nil if no reward has an exact value, or no time has passed.
  private var drawing: PageFields? {
    let known = steps.filter { $0.value != nil }
    guard let first = steps.first, end > first.at,
      let low = known.min(by: { ($0.value ?? 0) < ($1.value ?? 0) }),
      let high = known.max(by: { ($0.value ?? 0) < ($1.value ?? 0) })
    else { return nil }
    return PageFields { fields in
      let path = path(from: first.at, low: low.value ?? 0, high: high.value ?? 0)
      fields.set("line", path.line)
      fields.set("area", path.area)
      fields.set("dots", path.dots)
      fields.set("highest", high.label)
      fields.set("lowest", low.value == high.value ? nil : low.label)
      let (firstDay, lastDay) = (
        DayText.words(Units.day(first.at)), DayText.words(Units.day(end))
      )
      fields.set("firstDay", firstDay)
      fields.set("lastDay", firstDay == lastDay ? nil : lastDay)
      fields.set(
        "chartLabel",
        "\(word) from \(firstDay) to \(lastDay): between \(low.label) and \(high.label)")
    }
  }

  /// The SVG paths of the steps: their line, the area below it, and a dot where each begins and where
  /// the last one ends. A step without an exact value is a gap.
  private func path(
    from start: Date, low: Int64, high: Int64
  ) -> (line: String, area: String, dots: String) {
    let span = end.timeIntervalSince(start)
    func across(_ date: Date) -> String {
      Self.number(date.timeIntervalSince(start) / span * Self.width)
    }
    func up(_ value: Int64) -> String {
      let share = low == high ? 0.5 : (Double(value) - Double(low)) / (Double(high) - Double(low))
      return Self.number(Self.height - Self.margin - share * (Self.height - 2 * Self.margin))
    }
    var (line, area, dots) = ("", "", "")
    var isDrawing = false
    for (index, step) in steps.enumerated() {
      guard let value = step.value else {
        isDrawing = false
        continue
      }
      let until = index + 1 < steps.count ? steps[index + 1].at : end
      let (left, right, level) = (across(step.at), across(until), up(value))
      line += isDrawing ? "V\(level)H\(right)" : "M\(left) \(level)H\(right)"
      area += "M\(left) \(level)H\(right)V\(Self.number(Self.height))H\(left)Z"
      // A line without length, whose round ends are a dot.
      dots += "M\(left) \(level)h0"
      if until == end { dots += "M\(right) \(level)h0" }
      isDrawing = true
    }
    return (line, area, dots)
  }

  private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

  private static func words(_ event: OfferChange.Kind) -> String {
    switch event {
    case .new, .first: "First seen"
    case .up: "Up"
    case .down: "Down"
    case .changed, .expiring: "Changed"
    case .gone: "Gone"
    case .back: "Back"
    }
  }
}

/// The way of a value that has changed several times.
enum ValueWay {
  /// The number of values that are shown; of a longer way these are the last ones.
  private static let shownCount = 4

  static func text(_ values: [String]) -> String {
    (values.count > shownCount ? "… → " : "")
      + values.suffix(shownCount).joined(separator: " → ")
  }
}
