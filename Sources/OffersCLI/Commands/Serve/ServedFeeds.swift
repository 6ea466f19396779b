import Foundation
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersSync
import Synchronization

/// The implementation of the server's protocol `FeedSyncer` by the sync engine, the file of definitions, and
/// those of the database, which other servers may change.
struct ServedFeeds: FeedSyncer {
  let database: any OffersStorage
  let configurationPath: SettingPath
  let allowsPrivateNetwork: Bool
  let log: Log

  private let known = KnownFeedCache()
  private let findVariable = ProcessContext.findVariable

  init(
    database: any OffersStorage, configurationPath: SettingPath, allowsPrivateNetwork: Bool,
    log: Log
  ) {
    self.database = database
    self.configurationPath = configurationPath
    self.allowsPrivateNetwork = allowsPrivateNetwork
    self.log = log
  }

  var own: OwnFeeds { OwnFeeds(file: configurationPath, database: database) }

  func fetchKnownFeeds() async throws -> [KnownFeed] {
    let yaml = try configurationPath.read()
    let stored = try await database.fetchDefinitions()
    return try known.feeds(of: yaml, stored) {
      try configurationPath.configuration(reading: yaml).including(stored).knownFeeds()
    }
  }

  func setInterval(_ everySeconds: Int?, of feed: String) async throws -> Bool {
    try await own.set([.everySeconds(everySeconds)], of: feed) == [true]
  }

  func sync(
    _ parameters: SyncParameters,
    progress: @escaping @Sendable (SyncProgress) -> Void,
    finished: @escaping @Sendable (String, Result<SyncRun, OffersError>) -> Void
  ) async throws {
    let configuration = try await own.configuration()
    let names =
      parameters.feeds.isEmpty
      ? try await database.fetchSubscribedFeeds().filter(configuration.names.contains)
      : parameters.feeds
    let engine = SyncEngine(
      store: database, configuration: configuration, environment: findVariable,
      logger: log.logger)
    var options = SyncOptions(
      source: parameters.source, acceptsRemovals: parameters.acceptsRemovals,
      reason: parameters.reason,
      // A request from this machine is not trusted either: it may come from a proxy or another
      // user.
      sourceMayBePrivate: false,
      allowsPrivateNetwork: allowsPrivateNetwork || configuration.allowsPrivateNetwork)
    options.keepsMissing = parameters.keepsMissing
    options.fallbackSource = FeedSummary.fallbackSource
    try await engine.run(names, options: options, progress: progress, finished: finished)
    try await database.prepareSearch()
  }

  func search(
    _ feed: String, for words: String, page: Int, limit: Int?
  ) async throws -> ServerSearchResults {
    let configuration = try await own.configuration()
    let engine = SyncEngine(
      store: database, configuration: configuration, environment: findVariable,
      logger: log.logger)
    var options = SyncOptions(
      allowsPrivateNetwork: allowsPrivateNetwork || configuration.allowsPrivateNetwork)
    options.lockWaitSeconds = 2
    // A person waits for the results, and gets the stored offers instead.
    options.limits.idleSeconds = 10
    options.limits.totalSeconds = 12
    return try await engine.search(feed, for: words, page: page, limit: limit, options: options)
  }
}

/// The known feeds of the last content of the file of definitions and of the database, so that a server parses
/// the definitions only when they have changed.
final class KnownFeedCache: Sendable {
  private let kept = Mutex<(yaml: String?, stored: [StoredDefinition], feeds: [KnownFeed])?>(nil)

  /// Returns the feeds of the content, which `parse` returns unless they are kept.
  func feeds(
    of yaml: String?, _ stored: [StoredDefinition], _ parse: () throws -> [KnownFeed]
  ) rethrows -> [KnownFeed] {
    if let kept = kept.withLock({ $0 }), kept.yaml == yaml, kept.stored == stored {
      return kept.feeds
    }
    let feeds = try parse()
    kept.withLock { $0 = (yaml, stored, feeds) }
    return feeds
  }
}
