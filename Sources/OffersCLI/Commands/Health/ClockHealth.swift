import Foundation
import OffersCore
import OffersSQLite

/// The check of the machine's clock. If the newest sync or star is later than now, the clock is
/// wrong, or was wrong at that time.
struct ClockHealth {
  let database: OffersDatabase
  let now: Date

  /// The time, in seconds, by which the newest sync or star may be later than now.
  private static let toleranceSeconds = 300.0

  func examine() async -> Finding {
    // If the time cannot be read, pages are damaged, which `OffersDatabase.examine(at:)` reports.
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
