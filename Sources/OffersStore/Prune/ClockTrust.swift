import Foundation
import OffersCore

/// How far the machine's clock is believed when the ages of stored data are counted, so that a wrong
/// clock removes nothing before its time.
///
/// A clock that is ahead makes everything look old. The witness of the present time is the newest run
/// that started at least a day earlier, by the same clock. So a clock that jumped is not believed by
/// its first run, but by one that follows at least a day later: also that of a machine that was off
/// for a year.
enum ClockTrust: Equatable, Sendable {
  /// Ages are counted from now: the witness is at most `nearSeconds` old, or no run is older than a
  /// day.
  case now
  /// Ages are counted from the start of the witness, in Unix seconds, because it is older than
  /// `nearSeconds`, as with an app that syncs once a month.
  case run(Int64)
  /// Nothing is old: the last run of at least a day ago, in Unix seconds, is older than
  /// `farSeconds`, or no run of at least a day ago had a clock that was set.
  case none(Int64)

  /// The age from which on a run is a witness.
  private static let witnessSeconds = Retention.daySeconds
  /// The age up to which a witness confirms the present time: a week, and a day for a timer that is
  /// late. A clock that is ahead by less removes data at most so much too early.
  private static let nearSeconds = 8 * Retention.daySeconds
  /// The age up to which a witness counts: half a year.
  private static let farSeconds = 183 * Retention.daySeconds
  /// 2020-01-01, which is before the first version of this program. A clock before it was not set, as
  /// that of a machine without a battery, which starts at 1970.
  private static let epochSeconds: Int64 = 1_577_836_800

  /// - Parameters:
  ///   - seconds: the present time, in Unix seconds.
  ///   - history: the recorded runs. Their numbers ascend in the order of the runs, whatever the
  ///     clock said. Runs later than the present time are skipped: counting from an earlier time
  ///     removes less.
  static func find(
    at seconds: Int64, in history: StoredHistory
  ) throws -> ClockTrust {
    let latest = seconds - witnessSeconds
    guard let last = try history.findLastRun(from: .min, through: latest) else { return .now }
    let earliest = seconds < epochSeconds ? .min : epochSeconds
    guard let witness = try history.findLastRun(from: earliest, through: latest) else {
      return .none(last)
    }
    switch seconds.subtracting(clamped: witness) {
    case ...nearSeconds: return .now
    case ...farSeconds: return .run(witness)
    default: return .none(witness)
    }
  }

  /// The time from which ages are counted, in Unix seconds; nil if nothing is old.
  ///
  /// - Parameter now: the present time.
  func time(at now: Int64) -> Int64? {
    switch self {
    case .now: now
    case .run(let seconds): seconds
    case .none: nil
    }
  }

  /// The start of the run from which ages are counted; nil if they are counted from the present time.
  var witness: Date? {
    if case .run(let seconds) = self { Date(storedSeconds: seconds) } else { nil }
  }

  /// Refuses to prune if nothing is old.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  func check(at now: Int64) throws {
    guard case .none(let last) = self else { return }
    let days = Units.count(Int(now.subtracting(clamped: last) / Retention.daySeconds), "day")
    throw OffersError(
      .invalidRequest,
      "Nothing was removed, because the clock may be wrong: by it, the sync before this day was "
        + "\(days) ago.",
      advice: Advice(
        "Sync today and once more in a day, which confirms the clock. If you know that it is right",
        .trustClock))
  }
}
