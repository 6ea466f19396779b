import GRDB
import OffersCore

/// The words that offers are labelled with, those of the most offers first: to say which one may
/// have been meant. No more than a person could have had in mind are looked at.
enum OfferLabels {
  private static let limit = 1000

  static func retailers(in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT retailer FROM offer_detail WHERE retailer IS NOT NULL
        GROUP BY retailer ORDER BY count(*) DESC, retailer LIMIT \(limit)
        """)
  }

  static func categories(in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT category.value FROM offer_detail, json_each(offer_detail.categories) AS category
        WHERE offer_detail.categories IS NOT NULL
        GROUP BY category.value ORDER BY count(*) DESC, category.value LIMIT \(limit)
        """)
  }
}

extension OffersDatabase {
  /// Who sells the offers there are; the shops with the most offers first, a thousand at most.
  package func fetchRetailersBlocking() throws -> [String] {
    try readBlocking { try OfferLabels.retailers(in: $0) }
  }

  /// The categories of the offers there are, likewise.
  package func fetchCategoriesBlocking() throws -> [String] {
    try readBlocking { try OfferLabels.categories(in: $0) }
  }
}
