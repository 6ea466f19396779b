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

  /// Whether the index has the words of the offers, and no others: it is compared with them. The
  /// connection must be one that may write, and nothing is written.
  /// https://sqlite.org/fts5.html#the_integrity_check_command
  static func isSound(in database: Database) throws -> Bool {
    do {
      try database.execute(
        sql: "INSERT INTO offer_search (offer_search, rank) VALUES ('integrity-check', 1)")
      return true
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CORRUPT_VTAB {
      return false
    }
  }

  /// Makes the index anew, in the transaction that the caller began.
  static func rebuild(in database: Database) throws {
    try database.execute(sql: "INSERT INTO offer_search (offer_search) VALUES ('rebuild')")
    try setCurrent(true, in: database)
  }
}
