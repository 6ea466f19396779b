/// One migration of the schema in a PostgreSQL database.
package struct PostgreSQLMigration: Sendable {
  /// The migration's number, from `PostgreSQLMigrations.firstNumber`; the schema version after it.
  package let number: Int
  /// The name of its file, without extension.
  package let name: String
  /// Whether programs that know the schema before it can go on reading and writing: it only adds
  /// what they need not know. They serve the schema during an upgrade of several nodes.
  package let isExpanding: Bool
  /// The statements, run in one transaction.
  package let sql: String
  /// Whether the words of the texts changed, so that the searched words of all offers are made anew.
  package let changesWords: Bool

  package init(
    number: Int, name: String, isExpanding: Bool, sql: String, changesWords: Bool = false
  ) {
    self.number = number
    self.name = name
    self.isExpanding = isExpanding
    self.sql = sql
    self.changesWords = changesWords
  }
}

/// The migrations from an empty database to the current schema, embedded from the files of the folder
/// `SQL`. Append-only: a migration that has shipped is never edited.
///
/// A new migration is a new file there and a line of `all`. `Scripts/check` fails if it is not listed.
package enum PostgreSQLMigrations {
  /// The number of the first migration. The numbers below are versions that an unreleased program made.
  package static let firstNumber = 101

  package static let all: [PostgreSQLMigration] = [
    PostgreSQLMigration(
      number: 101, name: "0101_create_feeds", isExpanding: false,
      sql: text(PackageResources._101_create_feeds_sql)),
    PostgreSQLMigration(
      number: 102, name: "0102_create_offers", isExpanding: false,
      sql: text(PackageResources._102_create_offers_sql)),
    PostgreSQLMigration(
      number: 103, name: "0103_create_changes", isExpanding: false,
      sql: text(PackageResources._103_create_changes_sql)),
    PostgreSQLMigration(
      number: 104, name: "0104_create_users", isExpanding: false,
      sql: text(PackageResources._104_create_users_sql)),
    PostgreSQLMigration(
      number: 105, name: "0105_create_logins", isExpanding: false,
      sql: text(PackageResources._105_create_logins_sql)),
    PostgreSQLMigration(
      number: 106, name: "0106_create_searches", isExpanding: false,
      sql: text(PackageResources._106_create_searches_sql)),
    PostgreSQLMigration(
      number: 107, name: "0107_create_images", isExpanding: false,
      sql: text(PackageResources._107_create_images_sql)),
    PostgreSQLMigration(
      number: 108, name: "0108_create_commit_order", isExpanding: false,
      sql: text(PackageResources._108_create_commit_order_sql)),
    PostgreSQLMigration(
      number: 109, name: "0109_create_search_index", isExpanding: false,
      sql: text(PackageResources._109_create_search_index_sql)),
    PostgreSQLMigration(
      number: 110, name: "0110_create_triggers", isExpanding: false,
      sql: text(PackageResources._110_create_triggers_sql)),
    PostgreSQLMigration(
      number: 111, name: "0111_create_leases", isExpanding: false,
      sql: text(PackageResources._111_create_leases_sql)),
    PostgreSQLMigration(
      number: 112, name: "0112_create_indexes", isExpanding: false,
      sql: text(PackageResources._112_create_indexes_sql)),
    PostgreSQLMigration(
      number: 113, name: "0113_create_commit_count", isExpanding: false,
      sql: text(PackageResources._113_create_commit_count_sql)),
    PostgreSQLMigration(
      number: 114, name: "0114_create_definitions", isExpanding: true,
      sql: text(PackageResources._114_create_definitions_sql)),
    PostgreSQLMigration(
      number: 115, name: "0115_remake_search", isExpanding: false,
      sql: text(PackageResources._115_remake_search_sql), changesWords: true),
    PostgreSQLMigration(
      number: 117, name: "0117_add_older_offers", isExpanding: true,
      sql: text(PackageResources._117_add_older_offers_sql)),
    PostgreSQLMigration(
      number: 119, name: "0119_create_host_waits", isExpanding: true,
      sql: text(PackageResources._119_create_host_waits_sql)),
    PostgreSQLMigration(
      number: 121, name: "0121_create_image_colors", isExpanding: true,
      sql: text(PackageResources._121_create_image_colors_sql)),
    PostgreSQLMigration(
      number: 123, name: "0123_create_watches", isExpanding: true,
      sql: text(PackageResources._123_create_watches_sql)),
    PostgreSQLMigration(
      number: 125, name: "0125_create_outbox", isExpanding: true,
      sql: text(PackageResources._125_create_outbox_sql)),
    PostgreSQLMigration(
      number: 127, name: "0127_create_hidings", isExpanding: true,
      sql: text(PackageResources._127_create_hidings_sql)),
    PostgreSQLMigration(
      number: 129, name: "0129_create_feed_addresses", isExpanding: true,
      sql: text(PackageResources._129_create_feed_addresses_sql)),
  ]

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
