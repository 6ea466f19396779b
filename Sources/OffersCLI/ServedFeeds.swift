import Foundation
import OffersCore
import OffersFeeds
import OffersStore
import OffersSync

/// The feeds behind the server: what a request asks for, as the sync engine does it.
struct ServedFeeds: FeedSyncer {
  let database: OffersDatabase
  let configurationPath: SettingPath
  let allowsPrivateNetwork: Bool
  let log: Log

  func fetchKnownFeeds() throws -> [KnownFeed] {
    let configuration = try configurationPath.load()
    return try configuration.names.map { KnownFeed(try configuration.fetch($0)) }
  }

  func sync(
    _ feeds: [String], reason: SyncReason,
    progress: @escaping @Sendable (SyncProgress) -> Void,
    finished: @escaping @Sendable (String, Result<SyncRun, OffersError>) -> Void
  ) async throws {
    let configuration = try configurationPath.load()
    let names =
      feeds.isEmpty
      ? try await database.fetchSubscribedFeeds().filter(configuration.names.contains) : feeds
    let engine = SyncEngine(
      store: database, configuration: configuration, logger: log.logger)
    try await engine.sync(
      names,
      options: SyncOptions(
        reason: reason,
        allowsPrivateNetwork: allowsPrivateNetwork || configuration.allowsPrivateNetwork),
      progress: progress, finished: finished)
    try Task.checkCancellation()
    // As after a sync by hand.
    try await database.refreshSearchIndex()
    try await database.clearAway(after: names.count, at: Date())
  }

  func search(_ feed: String, for words: String, page: Int) async throws -> ServerSearch {
    let configuration = try configurationPath.load()
    let engine = SyncEngine(
      store: database, configuration: configuration, logger: log.logger)
    var options = SyncOptions(
      allowsPrivateNetwork: allowsPrivateNetwork || configuration.allowsPrivateNetwork)
    options.lockWaitSeconds = 2
    return try await engine.search(feed, for: words, page: page, options: options)
  }
}
