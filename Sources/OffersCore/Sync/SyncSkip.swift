import Foundation

/// Why a feed was not fetched.
public enum SyncSkip: Hashable, Sendable {
  /// It is not due.
  case fresh(until: Date)
  /// It failed so many times, and is tried again later.
  case backOff(until: Date, failures: Int)
  /// Its server asked to be left alone.
  case wait(until: Date)
  /// Its server said that it is gone for good.
  case stopped(since: Date)
  /// It was read from standard input, and has no source of its own.
  case sourceless

  /// When it will be fetched; nil when only a person can start it again.
  public var until: Date? {
    switch self {
    case .fresh(let date), .backOff(let date, _), .wait(let date): date
    case .stopped, .sourceless: nil
    }
  }

  /// The kind as JSON output names it.
  public var name: String {
    switch self {
    case .fresh: "fresh"
    case .backOff: "back_off"
    case .wait: "server_wait"
    case .stopped: "stopped"
    case .sourceless: "no_source"
    }
  }
}
