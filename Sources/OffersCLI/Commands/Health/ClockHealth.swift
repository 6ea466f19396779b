import Foundation
import OffersCore

/// The check of the machine's clock. If the newest sync or star is later than now, the clock is
/// wrong, or was wrong at that time.
struct ClockHealth {
  let database: any OffersStorage
  let now: Date

  /// The time, in seconds, by which a stored time may be later than now.
  private static let toleranceSeconds = 300.0

  func examine() async -> Finding {
    // If the times cannot be read, pages are damaged, which the checks of the contents report.
    let newest = try? await database.findNewestTime()
    if let newest, newest.timeIntervalSince(now) > Self.toleranceSeconds {
      return Finding(
        .problem, "clock",
        "it is \(Units.time(now)), but the newest sync or star is of \(Units.time(newest))",
        advice: """
          Set the clock: timedatectl. If it was wrong at that time and a sync is the newest: \
          offers sync --force
          """)
    }
    if let times = try? await database.countTimes(after: now + Self.toleranceSeconds),
      let latest = times.latest
    {
      let parts = [
        Units.count(times.runs, "sync"), Units.count(times.offers, "offer"),
        Units.count(times.images, "image"),
      ]
      return Finding(
        .warning, "clock",
        "\(parts[0]), \(parts[1]) and \(parts[2]) have times after now, the latest "
          + Units.time(latest),
        advice: """
          If the clock is wrong now, set it: timedatectl. If it was ahead then, nothing need be done: \
          these are kept for longer, and the images are asked for again
          """)
    }
    return Finding(.ok, "clock", "nothing happened later than now")
  }
}
