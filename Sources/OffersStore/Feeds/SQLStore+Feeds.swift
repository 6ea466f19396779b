import Foundation
import OffersCore

/// `FeedRepository`, `FeedSourceRepository`.
extension SQLStore {
  public func fetchFeeds() async throws -> [Feed] {
    try await transaction(.query) { [user] in try FeedList.subscribed(of: user, in: $0) }
  }

  public func fetchFormerFeeds() async throws -> [FormerFeed] {
    try await transaction(.query) { [user] in try FeedList.former(of: user, in: $0) }
  }

  public func fetchPresentations() async throws -> [String: FeedPresentation] {
    try await transaction(.query) { try FeedTable.presentations(in: $0) }
  }

  public func findSource(of feed: String) async throws -> String? {
    if !StoredText.isStorable(feed) { return nil }
    return try await transaction(.query) { transaction in
      try transaction.first("SELECT source FROM feed WHERE name = $1", [.text(feed)]) {
        $0.text(0)
      }
    }
  }

  public func subscribe(to feed: String, source: String) async throws -> Bool {
    let now = Date()
    return try await transaction(.write) { transaction in
      let (_, didSubscribe) = try FeedTable.put(
        feed, source: source, subscribes: true, at: now, in: transaction)
      if feed == Feed.initialName {
        try FeedTable.keepProposal(source: source, in: transaction)
      }
      return didSubscribe
    }
  }

  public func unsubscribe(from feed: String) async throws -> Bool {
    try await unsubscribe(from: feed, forgettingSource: false) {}
  }

  package func unsubscribe(
    from feed: String, forgettingSource: Bool,
    committing commit: @escaping @Sendable () throws -> Void
  ) async throws -> Bool {
    let now = Date()
    return try await transaction(.write) { transaction in
      if forgettingSource { try FeedTable.forgetSource(of: feed, in: transaction) }
      guard let feedKey = try FeedTable.endSubscription(of: feed, at: now, in: transaction) else {
        try commit()
        return false
      }
      // The document's validators become invalid if the offers change while nobody syncs them.
      try FetchStateTable.delete(feedKey: feedKey, in: transaction)
      try MissingOfferTable.clear(feedKey: feedKey, in: transaction)
      try commit()
      return true
    }
  }

  package func forgetSource(
    of feed: String, committing commit: @escaping @Sendable () throws -> Void
  ) async throws {
    try await transaction(.write) { transaction in
      try FeedTable.forgetSource(of: feed, in: transaction)
      try commit()
    }
  }
}

/// The reads of `SyncStore`, except for `fetchKnownOffers(of:)`, which the engines have.
extension SQLStore {
  package func fetchSubscribedFeeds() async throws -> [String] {
    try await transaction(.query) { try FeedTable.subscribedNames(in: $0) }
  }

  package func findSyncState(of feed: String) async throws -> SyncState? {
    try await transaction(.query) { try SyncStateQuery.find(feed, in: $0) }
  }

  package func fetchMissingOffers(of feed: String) async throws -> [MissingOffer] {
    try await transaction(.query) { try MissingOfferTable.fetch(of: feed, in: $0) }
  }

  package func fetchLook(of feed: String) async throws -> FeedTraits {
    try await transaction(.read) { try MissingOfferTable.fetchLook(of: feed, in: $0) }
  }
}

extension SQLStore {
  /// Refuses a feed that is neither subscribed nor defined and has no offers. A defined feed has an empty list
  /// before its first sync. Nil stands for all feeds.
  ///
  /// - Throws: `OffersError` with `notFound`, whose hint names the subscribed feeds.
  func checkFeed(_ feed: String?, in transaction: any Transaction) throws {
    if let feed, definitions?.defines(feed) == true { return }
    try FeedTable.check(feed, in: transaction)
  }

  /// The key of a feed that users can read; see `FeedTable.fetchReadKey(_:_:in:)`.
  package func fetchReadKey(of feed: String, in transaction: any Transaction) throws -> Int64 {
    try FeedTable.fetchReadKey(feed, definitions, in: transaction)
  }
}
