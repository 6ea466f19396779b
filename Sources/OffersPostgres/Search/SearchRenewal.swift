import OffersCore

/// Computes the searched words of offers anew after the rules for words changed.
enum SearchRenewal {
  /// The offers whose words are written at once.
  private static let batchCount = 500

  /// Computes the words of all offers that have an unseen character in a searched text.
  static func run(in connection: Connection) throws {
    let unseen = String(String.UnicodeScalarView(UnseenCharacters.all))
    var keys: [Int64] = []
    var documents: [String] = []
    var words: Set<String> = []
    func write() throws {
      if keys.isEmpty { return }
      try connection.run(
        """
        UPDATE offer SET search = new.search::tsvector
        FROM unnest($1::bigint[], $2::text[]) AS new (offer_key, search)
        WHERE offer.offer_key = new.offer_key
        """, [.numbers(keys), .texts(documents)])
      try SearchWordTable.add(words, in: connection)
      (keys, documents, words) = ([], [], [])
    }
    try connection.forEachRow(
      """
      SELECT offer_key, name, retailer, description, categories, attributes, terms FROM offer
      WHERE concat(name, retailer, description, categories, attributes, terms) ~ ('[' || $1 || ']')
      """, [.text(unseen)]
    ) { row in
      let document = SearchDocument(
        name: row.text(1), retailer: row.findText(2), description: row.findText(3),
        categories: row.findText(4).map(JSONTexts.parse) ?? [],
        attributes: row.findText(5).map(OfferAttribute.parse) ?? [], terms: row.findText(6))
      keys.append(row.number(0))
      documents.append(document.text)
      words.formUnion(document.words)
      if keys.count == batchCount { try write() }
    }
    try write()
  }
}
