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
    let now = Date()
    return try await transaction(.write) {
      try FeedTable.unsubscribe(from: feed, at: now, in: $0)
    }
  }

  package func fetchDefinitions() async throws -> [StoredDefinition] {
    try await transaction(.query) { try DefinitionTable.list(in: $0) }
  }

  package func changeDefinition(
    of feed: String, source: String, forgettingSource: Bool,
    _ change: @escaping @Sendable (inout StoredDefinition) throws -> Void
  ) async throws -> Bool {
    let now = Date()
    return try await transaction(.write) { transaction in
      // The row of the feed is locked first, so that of two concurrent changes the second one sees the first.
      _ = try FeedTable.put(feed, source: source, subscribes: false, at: now, in: transaction)
      let stored = try DefinitionTable.find(feed, in: transaction)
      var definition = stored
      try change(&definition)
      if forgettingSource { try FeedTable.forgetSource(of: feed, in: transaction) }
      if definition == stored { return false }
      try DefinitionTable.put(definition, in: transaction)
      return true
    }
  }

  package func removeDefinition(
    of feed: String, forgettingSource: Bool, keepingSettings: Bool
  ) async throws -> (wasSubscribed: Bool, wasDefined: Bool) {
    if !StoredText.isStorable(feed) { return (false, false) }
    let now = Date()
    return try await transaction(.write) { transaction in
      if forgettingSource { try FeedTable.forgetSource(of: feed, in: transaction) }
      let wasSubscribed = try FeedTable.unsubscribe(from: feed, at: now, in: transaction)
      let stored = try DefinitionTable.find(feed, in: transaction)
      var rest = StoredDefinition(feed: feed)
      if keepingSettings {
        (rest.everySeconds, rest.currency) = (stored.everySeconds, stored.currency)
      }
      if rest != stored { try DefinitionTable.put(rest, in: transaction) }
      return (wasSubscribed, stored.text != nil)
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
