import Foundation
import Synchronization

/// A clock that stands still until a test sets it forward or back.
final class SteppedClock: Sendable {
  private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

  var now: Date { time.withLock { $0 } }

  func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}
