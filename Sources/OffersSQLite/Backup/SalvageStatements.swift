import GRDB
import OffersCore
import OffersStore
import SQLiteMigrations

/// The statements that read the tables of a damaged file. It is neither migrated nor converted, so it may have
/// the tables of the last version before the first set of migrations.
struct SalvageStatements {
  private let database: Database
  private let isEarlier: Bool

  init(_ database: Database) {
    self.database = database
    // A file whose first page cannot be read has no readable table, whatever its version.
    isEarlier = (try? Schema.version(of: database)) == SQLiteMigrations.convertedVersion
  }

  /// The table of users.
  var users: String { isEarlier ? "user" : "account" }

  /// Selects the offers from the key `?1` on: the key, the key of the feed, the run of the feed's first sync,
  /// and the columns of `ExportedOffer`.
  var offers: String {
    isEarlier
      ? """
      SELECT offer.offer_key, offer.feed_key, NULL, \(columns(detailsOf: "offer_detail"))
      FROM offer LEFT JOIN offer_detail ON offer_detail.offer_key = offer.offer_key
      WHERE offer.offer_key >= ?1 ORDER BY offer.offer_key
      """
      : """
      SELECT offer_key, feed_key, first_run_id, \(columns(detailsOf: "offer")) FROM offer
      WHERE offer_key >= ?1 ORDER BY offer_key
      """
  }

  /// Selects the changes from the number `?1` on: the number, the keys of the offer and the run, the kind, the
  /// fields, and the number of offers with consecutive keys, of which the offer is the last.
  var changes: String {
    let count =
      isEarlier
      ? """
      coalesce((SELECT offer_count FROM new_offers
        WHERE new_offers.change_id = change.change_id), 1)
      """ : "1"
    return """
      SELECT change_id, offer_key, run_id, kind, CASE WHEN json_valid(fields) THEN fields END, \(count)
      FROM change WHERE change_id >= ?1 ORDER BY change_id
      """
  }

  /// The columns of `ExportedOffer`; NULL for a field that came with a later migration.
  ///
  /// - Parameter details: the table of the fields from the retailer on.
  private func columns(detailsOf details: String) -> String {
    let main = names(of: "offer")
    let other = names(of: details)
    return OfferField.allCases.map { field in
      let isDetail = OfferField.details.contains(field)
      let isThere = (isDetail ? other : main)?.contains(field.column) ?? true
      return isThere ? "\(isDetail ? details : "offer").\(field.column), " : "NULL, "
    }.joined() + ExportedOffer.otherColumns
  }

  /// The names of the columns of a table; nil if they cannot be read.
  private func names(of table: String) -> [String]? {
    try? database.columns(in: table).map(\.name)
  }
}
