import Foundation
import Logging
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersStore
import OffersSync
import OffersTestSupport
import Synchronization
import TestStores

@testable import OffersServer

/// A database with sample offers, synced when the first test asked for them, and servers for it.
struct ServedHome {
  /// A token that servers accept.
  static let token = "kE4tqPz0YbW7-mRs2xVdN8uGcJ3hLfA5oTiBw6QyX_1"
  static let otherToken = "Vw3-9hLkzQy7TnEa5cRuM2sXd8NvGbJ4KfA6oTiWq1Y"

  let folder: TemporaryFolder
  let store: TestStore
  let database: OffersDatabase

  /// - Parameter feeds: the shipped feeds whose samples are synced.
  init(feeds: [String] = ["ibotta"]) async throws {
    let kind = "samples of " + feeds.joined(separator: ",")
    try await self.init(copyOf: kind) { database in
      let engine = SyncEngine(store: database)
      for feed in feeds {
        _ = try await engine.sync(feed, options: SyncOptions(source: .sample))
      }
    }
  }

  /// - Parameters:
  ///   - kind: what the database contains.
  ///   - prepare: fills the first database of the kind, of which all others are copies.
  init(
    copyOf kind: String, prepare: @escaping @Sendable (OffersDatabase) async throws -> Void
  ) async throws {
    folder = try TemporaryFolder()
    store = try await TestStore(copyOf: kind, in: folder) { address in
      let database = try await TestStore.open(address)
      try await prepare(database)
      try await database.close()
    }
    database = try await store.open()
  }

  /// Syncs a feed from a file or from its sample.
  func sync(_ feed: String = "ibotta", from source: String) async throws {
    _ = try await SyncEngine(store: database).sync(
      feed, options: SyncOptions(source: SyncSource(typed: source), acceptsRemovals: true))
  }

  /// Writes a token to a file that only its owner can read.
  ///
  /// - Returns: the path of the file.
  @discardableResult
  func write(token: String, mode: Int = 0o600) throws -> String {
    let path = try folder.write(token + "\n", to: "token")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  /// - Parameters:
  ///   - token: the token that requests must show; written to a file.
  ///   - proxies: the networks of trusted proxies.
  ///   - userHeader: the field in which these name the user.
  ///   - openID: the OpenID provider at which people log in.
  ///   - clock: the server's clock; nil for the system's.
  ///   - log: receives the lines that an operator reads.
  ///   - logsRequests: whether it receives a line for each request.
  ///   - pushes: the push service of all browsers.
  ///   - store: the store of the server; nil for the database.
  func server(
    token: String? = nil, certificate: ServerCertificate? = nil, isBehindTLS: Bool = false,
    proxies: [String] = [], userHeader: String? = nil, openID: OpenIDSettings? = nil,
    clock: SteppedClock? = nil, log: RecordedLog? = nil, logsRequests: Bool = false,
    store: OffersDatabase? = nil, images: (any ImageSource)? = nil,
    syncer: (any FeedSyncer)? = nil, adder: ScriptedAdder = ScriptedAdder(),
    host: String = "127.0.0.1", port: Int = 80,
    allowedHosts: [String] = [], basePath: String = "", maps: MapSettings = MapSettings(),
    framing: ServerDependencies.FrameCheck? = nil, pushes: PushService = PushService()
  ) throws -> OffersServer {
    try OffersServer(
      ServerDependencies(
        store: store ?? database, syncer: syncer ?? SampleSyncer(database: database, adder: adder),
        adder: adder,
        images: images ?? ImageLoader(images: database), texts: FilterTextParser(),
        push: pushes.channels(database), maps: maps, framing: framing, now: { clock?.now ?? Date() }
      ),
      address: ServerAddress(
        host: host, port: port, allowedHosts: allowedHosts, basePath: BasePath(basePath)),
      access: ServerAccess(
        token: try token.map { try TokenFile(write(token: $0)) }, certificate: certificate,
        isBehindTLS: isBehindTLS, proxies: TrustedProxies(proxies),
        userHeader: try userHeader.map { try UserHeader($0) }, openID: openID,
        passphraseCost: Self.passphraseCost),
      logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
      accessLogger: log?.logger, logsRequests: logsRequests)
  }

  /// A client of a server, without a network connection.
  func client(_ server: OffersServer? = nil) throws -> TestClient {
    var responder = try (server ?? self.server()).responder()
    // On a busy machine a read may take longer than the usual limit, which has tests of its own.
    responder.readLimit = .seconds(60)
    return TestClient(responder, of: self)
  }
}

/// Syncs feeds from the built-in samples. The feeds that were added have none.
final class SampleSyncer: FeedSyncer {
  let database: OffersDatabase
  let intervals = Mutex<[String: Int]>([:])
  /// The source of all feeds; nil for their samples.
  let ownSource = Mutex<SyncSource?>(nil)

  private let adder: ScriptedAdder

  init(database: OffersDatabase, adder: ScriptedAdder = ScriptedAdder()) {
    self.database = database
    self.adder = adder
  }

  func fetchKnownFeeds() throws -> [KnownFeed] {
    let intervals = intervals.withLock { $0 }
    let added = adder.added.withLock { $0 }.map {
      KnownFeed(
        name: $0.name, title: $0.title, source: "https://tea.example/", everySeconds: 86_400,
        isSearchable: false)
    }
    return try added
      + FeedConfiguration.shipped.names.map {
        KnownFeed(
          name: $0, source: "sample", everySeconds: intervals[$0] ?? 86_400,
          hasOwnInterval: intervals[$0] != nil,
          presentation: try FeedConfiguration.shipped.fetch($0).presentation,
          home: try FeedConfiguration.shipped.fetch($0).home, isSearchable: $0 == "movies")
      }
  }

  func setInterval(_ everySeconds: Int?, of feed: String) -> Bool {
    intervals.withLock { intervals in
      defer { intervals[feed] = everySeconds }
      return intervals[feed] != everySeconds
    }
  }

  func sync(
    _ parameters: SyncParameters,
    progress: @escaping @Sendable (SyncProgress) -> Void,
    finished: @escaping @Sendable (String, Result<SyncRun, OffersError>) -> Void
  ) async throws {
    var options = SyncOptions(
      source: parameters.source ?? ownSource.withLock { $0 } ?? .sample,
      acceptsRemovals: parameters.acceptsRemovals)
    options.keepsMissing = parameters.keepsMissing
    try await SyncEngine(store: database).run(
      parameters.feeds, options: options, progress: progress, finished: finished)
  }

  func search(
    _ feed: String, for words: String, page: Int, limit: Int?
  ) async throws -> ServerSearchResults {
    throw OffersError(.sourceFailed, "The server cannot be reached.")
  }
}
