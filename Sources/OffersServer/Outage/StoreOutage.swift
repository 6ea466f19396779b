import Foundation
import Logging
import OffersCore
import Synchronization

/// The times in which the store cannot be reached, such as a database on another machine.
///
/// Meanwhile a server answers the reads that it has answered before, for an hour. It logs the beginning
/// and the end of such a time, whatever the number of requests.
final class StoreOutage: Sendable {
  /// The age up to which answers are held, and visitors are known, without the store, in seconds.
  static let heldSeconds = 3600.0

  private let isOn = Mutex(false)
  private let logger: Logger

  init(_ logger: Logger) { self.logger = logger }

  /// Whether something of a time may still be used. A time ahead is that of a clock that was set back.
  static func isHeld(since time: Date, at now: Date) -> Bool {
    abs(now.timeIntervalSince(time)) <= heldSeconds
  }

  /// Notes that the store could not be reached.
  func note(_ error: OffersError) {
    let isFirst = isOn.withLock { isOn in
      defer { isOn = true }
      return !isOn
    }
    if isFirst {
      logger.error(
        "the database cannot be reached",
        metadata: ["error": "\(error.message)", "cause": "\(error.cause ?? "none")"])
    }
  }

  /// Notes that the store has answered.
  func end() {
    let wasOn = isOn.withLock { isOn in
      defer { isOn = false }
      return isOn
    }
    if wasOn { logger.notice("the database can be reached again") }
  }

  /// The refusal of a write by a visitor whom the store could not confirm.
  static var refusal: Problem {
    var problem = Problem(unreachable)
    problem.detail += " Nothing was changed."
    return problem
  }

  private static let unreachable = OffersError(.storeUnreachable, "")
}
