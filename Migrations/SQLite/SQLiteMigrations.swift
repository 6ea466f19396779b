/// One migration of the database's schema.
package struct Migration: Sendable {
  /// The migration's number, from 1; the schema version after it.
  package let number: Int
  /// The name of its file, without extension.
  package let name: String
  /// The statements, run in one transaction.
  package let sql: String
}

/// The migrations from an empty file to the current schema, embedded from the `.sql` files in this
/// folder. Append-only: a migration that has shipped is never edited.
///
/// A new migration is a new file here, an `.embedInCode` resource of this target in
/// `Package.swift`, a line of `all`, and the new `currentVersion`. `Scripts/check` fails if it is
/// not embedded or not listed.
package enum SQLiteMigrations {
  package static let all: [Migration] = [
    Migration(
      number: 1, name: "0001_create_offers", sql: text(PackageResources._001_create_offers_sql)),
    Migration(
      number: 2, name: "0002_add_details",
      sql: text(PackageResources._002_add_details_sql)),
    Migration(
      number: 3, name: "0003_add_fetching",
      sql: text(PackageResources._003_add_fetching_sql)),
    Migration(
      number: 4, name: "0004_add_images",
      sql: text(PackageResources._004_add_images_sql)),
    Migration(
      number: 5, name: "0005_add_search",
      sql: text(PackageResources._005_add_search_sql)),
    Migration(
      number: 6, name: "0006_forget_usual_times",
      sql: text(PackageResources._006_forget_usual_times_sql)),
    Migration(
      number: 7, name: "0007_add_record_memory",
      sql: text(PackageResources._007_add_record_memory_sql)),
    Migration(
      number: 8, name: "0008_remember_values",
      sql: text(PackageResources._008_remember_values_sql)),
    Migration(
      number: 9, name: "0009_add_new_offers",
      sql: text(PackageResources._009_add_new_offers_sql)),
    Migration(
      number: 10, name: "0010_keep_known_offers",
      sql: text(PackageResources._010_keep_known_offers_sql)),
    Migration(
      number: 11, name: "0011_add_source_origin",
      sql: text(PackageResources._011_add_source_origin_sql)),
    Migration(
      number: 12, name: "0012_forget_known_offers",
      sql: text(PackageResources._012_forget_known_offers_sql)),
    Migration(
      number: 13, name: "0013_index_lists_in_one_pass",
      sql: text(PackageResources._013_index_lists_in_one_pass_sql)),
    Migration(
      number: 14, name: "0014_set_image_limit",
      sql: text(PackageResources._014_set_image_limit_sql)),
    Migration(
      number: 15, name: "0015_add_remedies",
      sql: text(PackageResources._015_add_remedies_sql)),
    Migration(
      number: 16, name: "0016_free_hints_of_commands",
      sql: text(PackageResources._016_free_hints_of_commands_sql)),
    Migration(
      number: 17, name: "0017_add_sessions",
      sql: text(PackageResources._017_add_sessions_sql)),
    Migration(
      number: 18, name: "0018_add_found_offers",
      sql: text(PackageResources._018_add_found_offers_sql)),
    Migration(
      number: 19, name: "0019_add_first_syncs",
      sql: text(PackageResources._019_add_first_syncs_sql)),
    Migration(
      number: 20, name: "0020_add_users", sql: text(PackageResources._020_add_users_sql)),
    Migration(
      number: 21, name: "0021_add_logins", sql: text(PackageResources._021_add_logins_sql)),
    Migration(
      number: 22, name: "0022_add_household", sql: text(PackageResources._022_add_household_sql)),
    Migration(
      number: 23, name: "0023_add_identities",
      sql: text(PackageResources._023_add_identities_sql)),
    Migration(
      number: 24, name: "0024_add_server_keys",
      sql: text(PackageResources._024_add_server_keys_sql)),
    Migration(
      number: 25, name: "0025_read_brackets_in_lists",
      sql: text(PackageResources._025_read_brackets_in_lists_sql)),
    Migration(
      number: 26, name: "0026_add_missing_offers",
      sql: text(PackageResources._026_add_missing_offers_sql)),
    Migration(
      number: 27, name: "0027_ignore_unseen_characters",
      sql: text(PackageResources._027_ignore_unseen_characters_sql)),
    Migration(
      number: 28, name: "0028_keep_presentations",
      sql: text(PackageResources._028_keep_presentations_sql)),
    Migration(
      number: 29, name: "0029_add_thumbnails", sql: text(PackageResources._029_add_thumbnails_sql)),
    Migration(
      number: 30, name: "0030_number_searches_by_user",
      sql: text(PackageResources._030_number_searches_by_user_sql)),
    Migration(
      number: 31, name: "0031_key_images_by_url",
      sql: text(PackageResources._031_key_images_by_url_sql)),
    Migration(
      number: 32, name: "0032_join_feed_details",
      sql: text(PackageResources._032_join_feed_details_sql)),
  ]

  /// The schema version that this program reads and writes: the number of the last migration, which
  /// a test compares. It is not computed from `all`, because every opening of a database needs the
  /// version, and none but the first the texts.
  package static let currentVersion = 32

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
