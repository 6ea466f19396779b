import Foundation
import OffersCore

/// A sync's result as it is printed.
enum SyncReport {
  /// One line for a person.
  static func line(_ run: SyncRun) -> String {
    let counts = run.counts
    if counts == SyncCounts(), run.error == nil {
      return "\(run.feed): nothing found in \(Units.duration(run.durationSeconds))"
    }
    let parts = [
      (counts.new, "new"), (counts.changed, "changed"), (counts.gone, "gone"),
      (counts.back, "back"), (counts.unchanged, "unchanged"), (counts.skipped, "skipped"),
    ].map { "\(Units.count($0)) \($1)" }
    return "\(run.feed): \(parts.joined(separator: ", ")) in \(Units.duration(run.durationSeconds))"
  }

  /// What was skipped or mended, a line each, the first few.
  static func problemLines(_ run: SyncRun) -> [String] {
    let shown = 5
    var lines = run.problems.prefix(shown).map { problem in
      DisplayText.oneLine("  " + problem.summary)
    }
    let rest = run.counts.skipped + run.mendedCount - lines.count
    if rest > 0 { lines.append("  and \(Units.count(rest)) more") }
    return lines
  }

  /// `{"runs":[…]}`
  static func json(_ runs: [SyncRun]) -> String {
    var json = JSONWriter()
    json.object { json in
      json.key("runs")
      json.array { json in
        for run in runs { json.value(run) }
      }
    }
    return json.text
  }

  /// Stands in the report for a run that could not even begin.
  static func unmade(feed: String, source: String, error: OffersError) -> SyncRun {
    SyncRun(
      feed: feed, source: source, outcome: .failed, bytes: 0, startedAt: Date(),
      durationSeconds: 0, error: error)
  }
}

extension JSONWriter {
  /// Writes a run as `--json` prints it.
  mutating func value(_ run: SyncRun) {
    object { json in
      json.key("feed")
      json.value(run.feed)
      json.key("outcome")
      json.value(run.outcome.rawValue)
      let counts = run.counts
      for (name, count) in [
        ("new", counts.new), ("changed", counts.changed), ("gone", counts.gone),
        ("back", counts.back), ("unchanged", counts.unchanged), ("skipped", counts.skipped),
        ("bytes", run.bytes),
      ] {
        json.key(name)
        json.value(count)
      }
      json.key("duration_seconds")
      json.number(Self.seconds(run.durationSeconds))
      json.key("error")
      json.value(run.error)
    }
  }

  /// Writes an error, or null.
  mutating func value(_ error: OffersError?) {
    guard let error else { return null() }
    object { json in
      json.key("code")
      json.value(error.code.rawValue)
      json.key("message")
      json.value(error.message)
      json.key("hint")
      json.value(error.hint)
    }
  }

  /// To the millisecond, never in exponent notation.
  private static func seconds(_ seconds: Double) -> String {
    let milliseconds = Int((seconds * 1000).rounded())
    let rest = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
