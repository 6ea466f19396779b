import GRDB
import OffersCore

/// The SQL that makes the search index and tells what it is worth.
enum SearchIndex {
  /// The texts that are searched, in the order of the index's columns.
  static let fields: [SearchMatch.Field] = SearchMatch.Field.allCases
  /// The same as a list of columns.
  static let columns = fields.map(\.rawValue).joined(separator: ", ")

  /// Whether a field of an offer is searched.
  static func has(_ field: OfferField) -> Bool {
    switch field {
    case .name, .description, .terms, .retailer, .categories, .attributes: true
    case .id, .reward, .imageURL, .url, .startsAt, .expiresAt, .latitude, .longitude: false
    }
  }

  /// Whether the index is what the offers are.
  static func isCurrent(in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT is_current FROM search_state WHERE state_key = 1")
    return try Bool.fetchOne(statement) ?? false
  }

  static func setCurrent(_ isCurrent: Bool, in database: Database) throws {
    try database.execute(
      sql: "UPDATE search_state SET is_current = ?1 WHERE state_key = 1 AND is_current <> ?1",
      arguments: [isCurrent])
  }

  /// How many offers the index has, and how many there are.
  static func counts(in database: Database) throws -> (indexed: Int, offers: Int) {
    let indexed = try Int.fetchOne(database, sql: "SELECT count(*) FROM offer_search_docsize")
    let offers = try Int.fetchOne(database, sql: "SELECT count(*) FROM offer")
    return (indexed ?? 0, offers ?? 0)
  }

  /// Makes the index anew, in the transaction that the caller began.
  static func rebuild(in database: Database) throws {
    try database.execute(sql: "INSERT INTO offer_search (offer_search) VALUES ('rebuild')")
    try setCurrent(true, in: database)
  }
}
