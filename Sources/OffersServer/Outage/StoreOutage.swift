import Logging
import OffersCore
import Synchronization

/// The times in which the store cannot be reached, such as a database on another machine. The server
/// logs the beginning and the end of such a time, whatever the number of requests.
final class StoreOutage: Sendable {
  private let isOn = Mutex(false)
  private let logger: Logger

  init(_ logger: Logger) { self.logger = logger }

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
}
