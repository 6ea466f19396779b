/// One migration of the database's schema.
package struct Migration: Sendable {
  /// The migration's number, from `SQLiteMigrations.firstNumber`; the schema version after it.
  package let number: Int
  /// The name of its file, without extension.
  package let name: String
  /// The statements, run in one transaction.
  package let sql: String
}

/// The migrations from an empty file to the current schema, embedded from the files of the folder
/// `SQL`. Append-only: a migration that has shipped is never edited.
///
/// A new migration is a new file there, a line of `all`, and the new `currentVersion`.
/// `Scripts/check` fails if it is not listed.
package enum SQLiteMigrations {
  /// The number of the first migration. The numbers below are versions that an unreleased program made.
  package static let firstNumber = 101

  package static let all: [Migration] = [
    Migration(
      number: 101, name: "0101_create_feeds",
      sql: text(PackageResources._101_create_feeds_sql)),
    Migration(
      number: 102, name: "0102_create_offers",
      sql: text(PackageResources._102_create_offers_sql)),
    Migration(
      number: 103, name: "0103_create_changes",
      sql: text(PackageResources._103_create_changes_sql)),
    Migration(
      number: 104, name: "0104_create_users",
      sql: text(PackageResources._104_create_users_sql)),
    Migration(
      number: 105, name: "0105_create_logins",
      sql: text(PackageResources._105_create_logins_sql)),
    Migration(
      number: 106, name: "0106_create_searches",
      sql: text(PackageResources._106_create_searches_sql)),
    Migration(
      number: 107, name: "0107_create_images",
      sql: text(PackageResources._107_create_images_sql)),
    Migration(
      number: 108, name: "0108_create_commit_order",
      sql: text(PackageResources._108_create_commit_order_sql)),
    Migration(
      number: 109, name: "0109_create_search_index",
      sql: text(PackageResources._109_create_search_index_sql)),
    Migration(
      number: 110, name: "0110_create_triggers",
      sql: text(PackageResources._110_create_triggers_sql)),
    Migration(
      number: 111, name: "0111_create_leases",
      sql: text(PackageResources._111_create_leases_sql)),
    Migration(
      number: 112, name: "0112_create_indexes",
      sql: text(PackageResources._112_create_indexes_sql)),
    Migration(
      number: 113, name: "0113_create_definitions",
      sql: text(PackageResources._113_create_definitions_sql)),
    Migration(
      number: 114, name: "0114_remake_search",
      sql: text(PackageResources._114_remake_search_sql)),
    Migration(
      number: 116, name: "0116_add_older_offers",
      sql: text(PackageResources._116_add_older_offers_sql)),
    Migration(
      number: 118, name: "0118_create_host_waits",
      sql: text(PackageResources._118_create_host_waits_sql)),
    Migration(
      number: 120, name: "0120_create_image_colors",
      sql: text(PackageResources._120_create_image_colors_sql)),
    Migration(
      number: 122, name: "0122_create_watches",
      sql: text(PackageResources._122_create_watches_sql)),
    Migration(
      number: 124, name: "0124_create_outbox",
      sql: text(PackageResources._124_create_outbox_sql)),
    Migration(
      number: 126, name: "0126_create_hidings",
      sql: text(PackageResources._126_create_hidings_sql)),
    Migration(
      number: 128, name: "0128_create_feed_addresses",
      sql: text(PackageResources._128_create_feed_addresses_sql)),
  ]

  /// The schema version that this program reads and writes: the number of the last migration, which
  /// a test compares. It is not computed from `all`, because every opening of a database needs the
  /// version, and none but the first the texts.
  package static let currentVersion = 128

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
