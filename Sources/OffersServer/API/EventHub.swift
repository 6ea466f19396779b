import HTTPTypes
import Hummingbird
import OffersCore
import OffersStore
import ServiceLifecycle
import Synchronization

/// Broadcasts server-sent events: commits to the database, by this or another process, and the
/// progress of a sync. The hub watches the database and the sync only while it has a listener.
///
/// Each event carries the current state, so that a listener that missed an event is up to date after
/// the next one. The exception is an event of a commit that changed only favorites: it carries those of
/// the listener's user, and the version before it, by which a listener finds out that it missed one.
final class EventHub: Sendable {
  /// Whom a stream is for. Each may have `clientLimit` streams.
  enum Client: Hashable, Sendable {
    /// A browser that is logged in, by the id of its session.
    case session([UInt8])
    /// Any other client, by its address.
    case peer(Peer)
  }

  private struct Listener: Sendable {
    let client: Client
    let user: User.ID
    /// Whether the client is still let in.
    let isWelcome: @Sendable () async throws -> Bool
    let stream: AsyncStream<ByteBuffer>.Continuation
  }

  private struct State {
    var listeners: [Int: Listener] = [:]
    var lastListener = 0
    /// The number of ticks since anything was sent.
    var idleTicks = 0
    var watch: Task<Void, Never>?
  }

  private let state = Mutex(State())
  private let store: OffersDatabase
  private let jobs: SyncJobs

  /// The interval at which the sync is polled.
  private static let tick = Duration.milliseconds(250)
  /// The minimum time between two `changed` events: at most two are sent a second.
  private static let changeInterval = Duration.milliseconds(500)
  /// The number of ticks without an event after which a keep-alive comment is sent: 15 seconds, so
  /// that proxies do not close an idle connection.
  private static let ticksUntilKeepAlive = 60
  /// The maximum number of listeners at a time.
  static let listenerLimit = 100
  /// The maximum number of listeners of one client, so that it cannot lock out the others.
  static let clientLimit = 20
  /// The maximum number of listeners of one user, by whatever clients, so that no user can lock out
  /// the others.
  static let userLimit = 50
  /// A comment of the event stream, which clients ignore.
  private static let keepAlive = ByteBuffer(string: ":\n\n")
  /// The maximum number of writes that are buffered for a slow listener; the oldest are dropped.
  private static let bufferLimit = 16

  init(store: OffersDatabase, jobs: SyncJobs) {
    self.store = store
    self.jobs = jobs
  }

  /// Adds a listener.
  ///
  /// - Parameters:
  ///   - isWelcome: whether the client is still let in. Called after commits and every 15 seconds;
  ///     false ends the stream, an error is ignored until the next call.
  ///   - whenClosed: calls a closure when the client closes its connection, which ends the stream.
  /// - Returns: a stream in the format of `text/event-stream`, which begins with a comment, the current
  ///   data version and the current sync. Its end removes the listener.
  /// - Throws: `Problem` with status 503 at the limit of listeners, or of those of the client or user;
  ///   `OffersError` if the database cannot be read.
  func listen(
    _ client: Client, of user: User.ID,
    while isWelcome: @escaping @Sendable () async throws -> Bool = { true },
    whenClosed: (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) async throws -> AsyncStream<ByteBuffer> {
    let (events, stream) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(Self.bufferLimit))
    var greeting = ByteBuffer(string: ":\n\nretry: 2000\n\n")
    let version = try await store.fetchDataVersion()
    let (status, revision) = jobs.revised
    greeting.writeImmutableBuffer(Self.changed(version))
    greeting.writeImmutableBuffer(Self.sync(status))
    stream.yield(greeting)
    let number = try state.withLock { state in
      guard state.listeners.count < Self.listenerLimit,
        state.listeners.values.count(where: { $0.client == client }) < Self.clientLimit,
        state.listeners.values.count(where: { $0.user == user }) < Self.userLimit
      else {
        var problem = Problem(
          .serviceUnavailable, "Too many event streams are open.",
          hint: "Close other windows, or try again in a moment.", code: .limitExceeded)
        problem.headers[.retryAfter] = "1"
        throw problem
      }
      state.lastListener += 1
      state.listeners[state.lastListener] = Listener(
        client: client, user: user, isWelcome: isWelcome, stream: stream)
      if state.watch == nil {
        state.watch = Task {
          async let commits: Void = watchCommits(after: version)
          await watchSync(after: revision)
          await commits
        }
      }
      return state.lastListener
    }
    stream.onTermination = { [weak self] _ in self?.end(number) }
    whenClosed { stream.finish() }
    // If the version or the sync has changed before the listener was registered, nobody has told it.
    if let next = try? await store.fetchDataVersion(), next != version {
      stream.yield(Self.changed(next))
    }
    let (nextStatus, nextRevision) = jobs.revised
    if nextRevision != revision { stream.yield(Self.sync(nextStatus)) }
    return events
  }

  /// The current number of listeners.
  var listenerCount: Int { state.withLock { $0.listeners.count } }

  private func end(_ number: Int) {
    state.withLock { state in
      state.listeners[number] = nil
      guard state.listeners.isEmpty else { return }
      state.watch?.cancel()
      state.watch = nil
    }
  }

  private func watchCommits(after version: Int64) async {
    var last = version
    for await commit in store.commits where commit.version != last {
      let version = commit.version
      var favorites = commit.changes?.favorites
      // Favorites are sent only after it was checked which listeners are still logged in.
      if favorites != nil, await !endUnwelcome() { favorites = nil }
      let told = favorites
      let previous = last
      last = version
      send { user in
        Self.changed(version) { json in
          guard let told else { return }
          json.member("previous", previous)
          json.member("user", String(user))
          json.member("favorites", objects: (told[user] ?? [:]).sorted { $0.key < $1.key }) {
            $0.member("ref", $1.key.description)
            $0.member("favorite", $1.value)
          }
        }
      }
      await endUnwelcome()
      // The only error is the cancellation after the last listener has left, which ends the loop.
      try? await Task.sleep(for: Self.changeInterval)
    }
  }

  private func watchSync(after revision: Int) async {
    var last = revision
    var ticks = 0
    while !Task.isCancelled {
      ticks += 1
      if ticks.isMultiple(of: Self.ticksUntilKeepAlive) { await endUnwelcome() }
      let (status, revision) = jobs.revised
      if revision != last {
        send(Self.sync(status))
      } else if isKeepAliveDue() {
        send(Self.keepAlive)
      }
      last = revision
      // As above.
      try? await Task.sleep(for: Self.tick)
    }
  }

  /// Ends the streams of clients that are not let in any more: whose session has ended, or whose
  /// token has changed.
  ///
  /// - Returns: whether all could be checked.
  @discardableResult
  private func endUnwelcome() async -> Bool {
    var isComplete = true
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners {
      do {
        if try await !listener.isWelcome() { listener.stream.finish() }
      } catch {
        // The database may be busy. The next call decides.
        isComplete = false
      }
    }
    return isComplete
  }

  /// Counts a tick. Returns whether a keep-alive comment must be sent.
  private func isKeepAliveDue() -> Bool {
    state.withLock { state in
      state.idleTicks += 1
      return state.idleTicks >= Self.ticksUntilKeepAlive
    }
  }

  private func send(_ event: ByteBuffer) { send { _ in event } }

  /// Sends each listener the event for its user.
  private func send(_ event: (User.ID) -> ByteBuffer) {
    let listeners = state.withLock { state in
      state.idleTicks = 0
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.stream.yield(event(listener.user)) }
  }

  /// The event of a commit.
  ///
  /// - Parameter write: writes further members.
  private static func changed(
    _ version: Int64, _ write: (inout JSONWriter) -> Void = { _ in }
  ) -> ByteBuffer {
    event(
      "changed",
      JSONWriter.document { json in
        json.member("version", version)
        write(&json)
      })
  }

  private static func sync(_ status: SyncStatus) -> ByteBuffer {
    var json = JSONWriter()
    json.value(status)
    return event("sync", json.text)
  }

  /// Formats an event. The JSON is written without line feeds, so that one `data` line holds it.
  private static func event(_ name: String, _ data: String) -> ByteBuffer {
    ByteBuffer(string: "event: \(name)\ndata: \(data)\n\n")
  }
}

/// The route that streams server-sent events (`EventHub`).
struct EventRoutes: Sendable {
  /// The fields of a stream. nginx buffers the answers of its servers, and would hold back a stream, head
  /// included, unless the last of them forbids it.
  /// https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering
  private static let fields: HTTPFields = {
    var fields: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
    if let name = HTTPField.Name("X-Accel-Buffering") { fields[name] = "no" }
    return fields
  }()

  let events: EventHub
  /// Decides whom a request is from.
  let access: VisitorAuthentication

  func add(to router: Router<ServedContext>) {
    router.get("/api/v1/events") { request, context in
      _ = try QueryParameters(request, [])
      let visitor = try context.fetchVisitor()
      let listener =
        visitor.session.map { EventHub.Client.session($0.id) } ?? .peer(context.client)
      let stream = try await events.listen(
        listener, of: visitor.user.id,
        while: { [access] in try await access.isWelcome(visitor) },
        whenClosed: context.whenClosed)
      return Response(
        status: .ok,
        headers: Self.fields,
        body: ResponseBody { writer in
          for await event in stream.cancelOnGracefulShutdown() {
            try await writer.write(event)
          }
          try await writer.finish(nil)
        })
    }
  }
}
