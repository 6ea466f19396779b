import OffersCore

/// Computes the keys and the searched words of all offers anew, after the rules for them changed.
struct OfferRenewal {
  private let connection: Connection
  private var keys = ArrayParameter(.int8)
  private var nameKeys = ArrayParameter(.bytea)
  private var retailerKeys = ArrayParameter(.bytea)
  private var categoryKeys = ArrayParameter(.bytea)
  private var documents = ArrayParameter(.text)
  private var words: Set<String> = []

  /// The number of offers that are written at once.
  private static let batchCount = 500

  static func run(in connection: Connection) throws {
    var renewal = OfferRenewal(connection: connection)
    try connection.run("DELETE FROM search_word")
    try connection.forEachRow(
      """
      SELECT offer_key, name, retailer, description, categories, attributes, terms FROM offer
      ORDER BY offer_key
      """
    ) { row in
      renewal.append(row)
      if renewal.keys.count == batchCount { try renewal.write() }
    }
    try renewal.write()
  }

  private init(connection: Connection) { self.connection = connection }

  private mutating func append(_ row: Row) {
    let (name, retailer) = (row.text(1), row.findText(2))
    let categories = row.findText(4).map(JSONTexts.parse)
    let document = SearchVector(
      name: name, retailer: retailer, description: row.findText(3), categories: categories ?? [],
      attributes: row.findText(5).map(OfferAttribute.parse) ?? [], terms: row.findText(6))
    keys.append(row.number(0))
    nameKeys.append(NaturalOrder.key(name))
    retailerKeys.append(retailer.map { NaturalOrder.key($0) })
    categoryKeys.append(categories.map { NaturalOrder.keys($0) })
    documents.append(document.text)
    words.formUnion(document.words)
  }

  private mutating func write() throws {
    if keys.count == 0 { return }
    try connection.run(
      """
      UPDATE offer SET name_key = new.name_key, retailer_key = new.retailer_key,
        category_keys = new.category_keys, search = new.search::tsvector
      FROM unnest($1, $2, $3, $4, $5)
        AS new (offer_key, name_key, retailer_key, category_keys, search)
      WHERE offer.offer_key = new.offer_key
      """,
      [
        .array(keys), .array(nameKeys), .array(retailerKeys), .array(categoryKeys),
        .array(documents),
      ])
    try SearchWordTable.add(words, in: connection)
    self = OfferRenewal(connection: connection)
  }
}
