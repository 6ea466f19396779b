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
  /// The bounds that the user's watches have for the values, with their labels, each once.
  private let bounds: [(units: Int64, label: String, value: String)]

  private static let width = 600.0
  private static let height = 120.0
  /// The space above and below the line, in the units of the height.
  private static let margin = 8.0
  private static let boundLimit = 4

  /// - Parameters:
  ///   - end: where the line ends: now, or the time when the offer was gone.
  ///   - bounds: the bounds of watches, in the unit of the latest exact value.
  ///   - texts: writes the bounds; nil without any.
  /// - Returns: nil for an offer that has not changed since it was first seen.
  init?(
    _ points: [RewardPoint], _ role: ValueRole, until end: Date, _ bounds: [WatchBound] = [],
    _ texts: (any FilterTextReader)? = nil
  ) {
    guard points.count > 1 else { return nil }
    self.points = points
    word = role.rawValue.capitalized
    self.end = max(end, points.last?.at ?? end)
    steps = RewardStep.steps(of: points)
    var seen: Set<WatchBound> = []
    self.bounds =
      texts.map { texts in
        bounds.filter { seen.insert($0).inserted }.prefix(Self.boundLimit).map {
          ($0.units, $0.words(texts), texts.text(of: $0.value))
        }
      } ?? []
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
      let (least, most) = (low.value ?? 0, high.value ?? 0)
      let lowest = bounds.min { $0.units < $1.units }.flatMap { $0.units < least ? $0 : nil }
      let highest = bounds.max { $0.units < $1.units }.flatMap { $0.units > most ? $0 : nil }
      let range = (lowest?.units ?? least, highest?.units ?? most)
      let path = path(from: first.at, low: range.0, high: range.1)
      fields.set("line", path.line)
      fields.set("area", path.area)
      fields.set("dots", path.dots)
      fields.set("highest", highest?.value ?? high.label)
      fields.set("lowest", range.0 == range.1 ? nil : lowest?.value ?? low.label)
      fields.set("bounds", bounds.enumerated().map { bound($1, at: $0, in: range) })
      fields.set("hasBounds", !bounds.isEmpty)
      let (firstDay, lastDay) = (
        DayText.words(Units.day(first.at)), DayText.words(Units.day(end))
      )
      fields.set("firstDay", firstDay)
      fields.set("lastDay", firstDay == lastDay ? nil : lastDay)
      fields.set(
        "chartLabel",
        "\(word) from \(firstDay) to \(lastDay): between \(low.label) and \(high.label)"
          + bounds.map { ", watched: \($0.label)" }.joined())
    }
  }

  /// The line of a bound with its label, which stands at the left or at the right, so that two near bounds can be read.
  private func bound(
    _ bound: (units: Int64, label: String, value: String), at place: Int,
    in range: (low: Int64, high: Int64)
  ) -> PageFields {
    let part = Self.down(bound.units, in: range) / Self.height
    let isLeft = place.isMultiple(of: 2)
    return [
      "boundLevel": "\(Self.number(part * 100))%", "boundLabel": bound.label,
      "boundSide": isLeft ? "0" : "100%", "boundAnchor": isLeft ? "start" : "end",
      // Below a line at the top, where the label of the highest value is.
      "boundShift": part < 0.2 ? "15" : "-5",
    ]
  }

  /// The distance of a value from the top, in the units of the height.
  private static func down(_ value: Int64, in range: (low: Int64, high: Int64)) -> Double {
    let (low, high) = (Double(range.low), Double(range.high))
    let share = low == high ? 0.5 : (Double(value) - low) / (high - low)
    return height - margin - share * (height - 2 * margin)
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
    func up(_ value: Int64) -> String { Self.number(Self.down(value, in: (low, high))) }
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
