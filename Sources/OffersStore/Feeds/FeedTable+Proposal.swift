import Foundation
import OffersCore

/// A new database of the command line proposes one feed, so that a first sync has something to read.
/// The proposal ends when the user begins with another feed.
extension FeedTable {
  /// Subscribes a new database to the proposed feed.
  package static func propose(at time: Date, in transaction: any Transaction) throws {
    try transaction.run(
      "INSERT INTO feed (name, source, subscribed_at) VALUES ($1, 'sample', $2)",
      [.text(Feed.initialName), .date(time)])
  }

  /// Unsubscribes from the proposed feed if nobody synced it or named a source for it: a user who
  /// begins with another feed did not ask for its sample.
  static func endProposal(in transaction: any Transaction) throws {
    try transaction.run(
      """
      UPDATE feed SET unsubscribed_at = subscribed_at
      WHERE name = $1 AND unsubscribed_at IS NULL AND chosen_source IS NULL
        AND NOT EXISTS (SELECT 1 FROM offer WHERE offer.feed_key = feed.feed_key)
        AND NOT EXISTS (SELECT 1 FROM sync_run WHERE sync_run.feed_key = feed.feed_key)
      """, [.text(Feed.initialName)])
  }

  /// Stores the source of a person who subscribes to the proposed feed, unless it has a named one, so
  /// that the proposal does not end later.
  static func keepProposal(source: String, in transaction: any Transaction) throws {
    try transaction.run(
      """
      UPDATE feed SET chosen_source = $2, source_origin = $3
      WHERE name = $1 AND chosen_source IS NULL
      """,
      [.text(Feed.initialName), .text(source), .text(SourceOrigin.remote.rawValue)])
  }
}
