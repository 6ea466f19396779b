import OffersCore
import OffersStore

/// Computes the keys of offers with long numbers anew, which earlier versions wrote otherwise.
enum KeyRenewal {
  /// The longest number whose key is the same in all versions, in digits.
  private static let sameDigits = 253

  /// Computes the keys of all offers with a longer number in a text that has a key.
  static func run(in connection: Connection) throws {
    let transaction = PostgresTransaction(connection)
    let offers = try transaction.rows(
      """
      SELECT offer_key, name, retailer, categories FROM offer
      WHERE concat_ws(' ', name, retailer, categories) ~ '[0-9]{\(sameDigits)}'
      """
    ) { row in
      (
        key: row.number(0), name: row.text(1), retailer: row.findText(2),
        categories: row.findText(3).map(JSONTexts.parse)
      )
    }
    for offer in offers {
      try transaction.run(
        "UPDATE offer SET name_key = $2, retailer_key = $3, category_keys = $4 WHERE offer_key = $1",
        [
          .number(offer.key), .bytes(NaturalOrder.key(offer.name)),
          .bytes(offer.retailer.map { NaturalOrder.key($0) }),
          .bytes(offer.categories.map { NaturalOrder.keys($0) }),
        ])
    }
  }
}
