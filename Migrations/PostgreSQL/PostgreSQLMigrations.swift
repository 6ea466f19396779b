/// One migration of the schema in a PostgreSQL database.
package struct PostgreSQLMigration: Sendable {
  /// The migration's number, from 1; the schema version after it.
  package let number: Int
  /// The name of its file, without extension.
  package let name: String
  /// Whether programs that know the schema before it can go on reading and writing: it only adds
  /// what they need not know. They serve the schema during an upgrade of several nodes.
  package let isExpanding: Bool
  /// The statements, run in one transaction.
  package let sql: String
  /// Whether the program then computes the searched words of the offers with unseen characters anew.
  package let renewsSearch: Bool

  package init(
    number: Int, name: String, isExpanding: Bool, sql: String, renewsSearch: Bool = false
  ) {
    self.number = number
    self.name = name
    self.isExpanding = isExpanding
    self.sql = sql
    self.renewsSearch = renewsSearch
  }
}

/// The migrations from an empty database to the current schema, embedded from the `.sql` files in this
/// folder. Append-only: a migration that has shipped is never edited.
///
/// A new migration is a new file here, an `.embedInCode` resource of this target in `Package.swift`,
/// and a line of `all`. `Scripts/check` fails if it is not embedded or not listed.
package enum PostgreSQLMigrations {
  package static let all: [PostgreSQLMigration] = [
    PostgreSQLMigration(
      number: 1, name: "0001_create_offers", isExpanding: false,
      sql: text(PackageResources._001_create_offers_sql)),
    PostgreSQLMigration(
      number: 2, name: "0002_add_users", isExpanding: false,
      sql: text(PackageResources._002_add_users_sql)),
    PostgreSQLMigration(
      number: 3, name: "0003_add_images", isExpanding: false,
      sql: text(PackageResources._003_add_images_sql)),
    PostgreSQLMigration(
      number: 4, name: "0004_index_names", isExpanding: true,
      sql: text(PackageResources._004_index_names_sql)),
    PostgreSQLMigration(
      number: 5, name: "0005_add_server_keys", isExpanding: true,
      sql: text(PackageResources._005_add_server_keys_sql)),
    PostgreSQLMigration(
      number: 6, name: "0006_add_missing_offers", isExpanding: true,
      sql: text(PackageResources._006_add_missing_offers_sql)),
    PostgreSQLMigration(
      number: 7, name: "0007_ignore_unseen_characters", isExpanding: true,
      sql: text(PackageResources._007_ignore_unseen_characters_sql), renewsSearch: true),
    PostgreSQLMigration(
      number: 8, name: "0008_keep_presentations", isExpanding: true,
      sql: text(PackageResources._008_keep_presentations_sql)),
    PostgreSQLMigration(
      number: 9, name: "0009_add_thumbnails", isExpanding: true,
      sql: text(PackageResources._009_add_thumbnails_sql)),
  ]

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
