import Foundation
import GRDB
import OffersCore

extension OffersDatabase: FeedRepository {
  public func fetchFeeds() async throws -> [Feed] {
    try await read { [user] in try FeedTable.all(of: user, in: $0) }
  }

  public func fetchFormerFeeds() async throws -> [FormerFeed] {
    try await read { [user] in try FeedTable.former(of: user, in: $0) }
  }

  public func fetchPresentations() async throws -> [String: FeedPresentation] {
    try await read { try FeedTable.presentations(in: $0) }
  }

  public func subscribe(to feed: String, source: String) async throws -> Bool {
    let seconds = Date().storedSeconds
    return try await write {
      try FeedSubscription.subscribe(to: feed, source: source, at: seconds, in: $0)
    }
  }

  public func unsubscribe(from feed: String) async throws -> Bool {
    let seconds = Date().storedSeconds
    return try await write { try FeedSubscription.unsubscribe(feed, at: seconds, in: $0) }
  }
}

extension OffersDatabase: FeedSourceRepository {
  package func forgetSource(of feed: String) async throws {
    try await write { try FeedTable.forgetSource(of: feed, in: $0) }
  }

  public func findSource(of feed: String) async throws -> String? {
    try await read {
      try String.fetchOne(
        $0, sql: "SELECT source FROM feed WHERE name = ?", arguments: [feed.lookedUp])
    }
  }
}
