import Foundation
import GRDB
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
  static let witnessSeconds = Retention.daySeconds
  /// The age up to which a witness confirms the present time: a week, and a day for a timer that is
  /// late. A clock that is ahead by less removes data at most so much too early.
  static let nearSeconds = 8 * Retention.daySeconds
  /// The age up to which a witness counts: half a year.
  static let farSeconds = 183 * Retention.daySeconds
  /// 2020-01-01, which is before the first version of this program. A clock before it was not set, as
  /// that of a machine without a battery, which starts at 1970.
  static let epochSeconds: Int64 = 1_577_836_800

  /// - Parameters:
  ///   - seconds: the present time, in Unix seconds.
  ///   - database: the database with the recorded runs. Their numbers ascend in the order of the
  ///     runs, whatever the clock said. Runs later than the present time are skipped: counting from
  ///     an earlier time removes less.
  static func find(at seconds: Int64, in database: Database) throws -> ClockTrust {
    let latest = seconds - witnessSeconds
    guard let last = try findLastRun(from: .min, through: latest, in: database) else { return .now }
    let earliest = seconds < epochSeconds ? .min : epochSeconds
    guard let witness = try findLastRun(from: earliest, through: latest, in: database) else {
      return .none(last)
    }
    switch seconds - witness {
    case ...nearSeconds: return .now
    case ...farSeconds: return .run(witness)
    default: return .none(witness)
    }
  }

  /// The start of the run with the largest number among those that started within a range of times.
  private static func findLastRun(
    from earliest: Int64, through latest: Int64, in database: Database
  ) throws -> Int64? {
    try Int64.fetchOne(
      database,
      sql: """
        SELECT started_at FROM sync_run WHERE run_id > 0 AND started_at BETWEEN ? AND ?
        ORDER BY run_id DESC LIMIT 1
        """, arguments: [earliest, latest])
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
}
