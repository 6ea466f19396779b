import Foundation
import OffersCore
import OffersSQLite

/// The check of the machine's clock: a clock that is behind the newest sync or star was set wrong,
/// now or at that time.
struct ClockHealth {
  let database: OffersDatabase
  let now: Date

  /// The tolerated difference between clocks, in seconds.
  private static let toleranceSeconds = 300.0

  func examine() async -> Finding {
    // If the time cannot be read, pages are damaged, which the checks of the pages report.
    guard let newest = try? await database.findNewestTime(),
      newest.timeIntervalSince(now) > Self.toleranceSeconds
    else { return Finding(.ok, "clock", "nothing happened later than now") }
    return Finding(
      .problem, "clock",
      "it is \(Units.time(now)), but the newest sync or star is of \(Units.time(newest))",
      advice: """
        Set the clock: timedatectl. If it was wrong at that time and a sync is the newest: \
        offers sync --force
        """)
  }
}
