import Foundation
import OffersCore
import Synchronization

/// The visitors of the last hour by what they showed, so that they are known while the store, which has
/// the users, sessions and tokens, cannot be reached.
///
/// A login that another server on the same store has ended is forgotten within ten seconds
/// (`EndedVisitorsService`), unless the store cannot be reached any more by then.
final class KnownVisitors: Sendable {
  /// The SHA-256 of all by which a request shows whom it is from.
  typealias Credentials = [UInt8]

  /// The maximum number of visitors. Beyond it, all are forgotten, and known again by their next
  /// requests.
  private static let limit = 10_000

  private let known = Mutex<[Credentials: (visitor: Visitor, at: Date)]>([:])

  /// Notes whom a request is from, as the store has told; nil for a stranger.
  func note(_ visitor: Visitor?, showing credentials: Credentials, at now: Date) {
    known.withLock { known in
      if visitor != nil, known[credentials] == nil, known.count >= Self.limit { known = [:] }
      known[credentials] = visitor.map { ($0, now) }
    }
  }

  /// The visitor that has last shown the same; nil if there was none within the hour.
  func find(_ credentials: Credentials, at now: Date) -> Visitor? {
    known.withLock { known in
      guard let (visitor, at) = known[credentials], StoreOutage.isHeld(since: at, at: now) else {
        return nil
      }
      return visitor
    }
  }

  var isEmpty: Bool { known.withLock(\.isEmpty) }

  /// Forgets the visitors for whom a closure is true.
  func forget(where isEnded: (Visitor) -> Bool) {
    known.withLock { known in known = known.filter { !isEnded($0.value.visitor) } }
  }

  /// Whether a form with this target may end logins, or change what a user may do.
  static func areEnded(byFormAt path: String) -> Bool {
    let part = path.split(scalar: "/").first.map(String.init) ?? ""
    return endingParts.contains(part)
  }

  private static let endingParts: Set<String> = [
    "identity", "logout", "passphrase", "sessions", "tokens", "users",
  ]
}
