import Foundation

/// Why a feed was not fetched.
public enum SyncSkip: Hashable, Sendable {
  /// The feed is not due.
  case fresh(until: Date)
  /// The last syncs failed; the next attempt is delayed (exponential back-off).
  case backOff(until: Date, failures: Int)
  /// The server requested a pause (Retry-After).
  case wait(until: Date)
  /// The server said that the feed is gone permanently (410 Gone).
  case stopped(since: Date)
  /// The feed has no source, or was read from standard input, which cannot be read again.
  case sourceless

  /// When the feed will be fetched again; nil when that takes an explicit request.
  public var until: Date? {
    switch self {
    case .fresh(let date), .backOff(let date, _), .wait(let date): date
    case .stopped, .sourceless: nil
    }
  }

  /// The name of the case in JSON output.
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
