import OffersCore
import Synchronization

/// The facts about a request that `RequestLog` writes.
final class RequestRecord: Sendable {
  struct Values {
    /// The client's address; nil for a request that was refused before.
    var client: Peer?
    /// The name of the user, as it was before the request; nil for a stranger.
    var user: String?
    /// The path template of the route; nil for an unknown path.
    var route: String?
    /// The action, where the route alone does not name it.
    var action: String?
    /// What the request was about, by names such as `feed`.
    var details: [String: String] = [:]
  }

  /// The number of the request, in hexadecimal.
  let id: String
  private let stored = Mutex(Values())

  init(id: String) { self.id = id }

  var values: Values { stored.withLock { $0 } }

  func isFrom(_ client: Peer) { stored.withLock { $0.client = client } }

  func isBy(_ user: User) { stored.withLock { $0.user = user.name } }

  func isFor(_ route: String?) { stored.withLock { $0.route = route } }

  /// Notes what was done, for a route that does one of several things.
  func did(_ action: String) { stored.withLock { $0.action = action } }

  /// Notes what the request is about, such as the feed that it adds. It must not be a secret.
  ///
  /// - Parameter name: other than `client`, `request` and `user`.
  func note(_ name: String, _ value: String?) { stored.withLock { $0.details[name] = value } }

  /// Notes which sync a person has started. A source is not told: it may contain a key.
  func note(_ sync: SyncParameters, hasSource: Bool = false) {
    note("feed", sync.feeds.isEmpty ? "all" : sync.feeds.joined(separator: ","))
    note("removals", sync.acceptsRemovals ? "accepted" : sync.keepsMissing ? "kept" : nil)
    if hasSource { note("source", "given") }
  }
}
