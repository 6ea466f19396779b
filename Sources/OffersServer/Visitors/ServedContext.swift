import Hummingbird
import Logging
import NIOCore
import OffersCore
import Synchronization

/// The context of a request: its connection, and whom it is from.
struct ServedContext: RequestContext {
  static let usualReadLimit = Duration.seconds(5)

  var coreContext: CoreRequestContextStorage
  private let channel: any Channel
  /// The other end of the connection.
  let peer: Peer
  /// The address of the client. It differs from `peer` if that is a trusted proxy.
  var client: Peer
  /// Whom the request is from, as `ServedResponder` finds out; nil for a stranger, who gets what
  /// belongs to nobody.
  var visitor: Visitor?
  /// The time in which a page or an answer of the API is read from the store.
  var readLimit = Self.usualReadLimit
  let record: RequestRecord

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    // The server numbers its requests; only tests have requests without a number.
    record = RequestRecord(id: source.logger[metadataKey: "hb.request.id"]?.description ?? "none")
    channel = source.channel
    // A connection without an IP address is closed before its first request (ConnectionDeadlines);
    // only tests have requests without a connection.
    peer = channel.remoteAddress.flatMap(Peer.init) ?? .loopback
    client = peer
  }

  /// Whom the request is from.
  ///
  /// - Throws: `Problem` with status 401 for a stranger.
  func fetchVisitor() throws -> Visitor {
    guard let visitor else { throw Problem.unauthorized }
    return visitor
  }

  /// The session of the visitor, which the management of one's own logins requires: a token that was
  /// stolen must not make others.
  ///
  /// - Throws: `Problem` with status 403 for a visitor without one.
  func fetchSession() throws -> Session {
    guard let session = try fetchVisitor().session else {
      throw Self.onlyBrowsers
    }
    return session
  }

  /// The visitor of a request that lets a browser in. An API token must not: the session would have all
  /// rights of the user, and would outlive the token.
  ///
  /// - Throws: `Problem` with status 403 for an API token.
  func fetchHost() throws -> Visitor {
    let visitor = try fetchVisitor()
    if case .apiToken = visitor.proof { throw Self.onlyBrowsers }
    return visitor
  }

  private static let onlyBrowsers = Problem(
    .forbidden, "Only a browser that is logged in may do this.", hint: "Log in with a browser.")

  /// Calls a closure, in place of the one of before, if the client closes the connection, or its sending
  /// side, before the response is complete.
  func whenClosed(_ body: @escaping @Sendable () -> Void) {
    // Only tests have requests without a connection.
    guard channel.remoteAddress != nil else { return }
    let told = channel.eventLoop.makePromise(of: Void.self)
    // A connection that is closed by now refuses the event.
    told.futureResult.whenFailure { _ in body() }
    channel.triggerUserOutboundEvent(ConnectionDeadlines.Awaited(whenClosed: body), promise: told)
  }

  /// Runs a closure, and cancels it when the client closes the connection, or its sending side.
  func whileConnected<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await body() }
    whenClosed { task.cancel() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

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
    /// Further fields of the log entry of the request, by their names, such as `feed`.
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

  /// Adds to the log entry what was done, for a route that does one of several things.
  func did(_ action: String) { stored.withLock { $0.action = action } }

  /// Adds a field to the log entry, such as the feed that the request adds. It must not be a secret.
  ///
  /// - Parameter name: other than `client`, `request` and `user`.
  func note(_ name: String, _ value: String?) { stored.withLock { $0.details[name] = value } }

  /// Adds to the log entry which sync a person has started. A source is left out: it may contain a key.
  func note(_ sync: SyncParameters, hasSource: Bool = false) {
    note("feed", sync.feeds.isEmpty ? "all" : sync.feeds.joined(separator: ","))
    note("removals", sync.acceptsRemovals ? "accepted" : sync.keepsMissing ? "kept" : nil)
    if hasSource { note("source", "given") }
  }
}
