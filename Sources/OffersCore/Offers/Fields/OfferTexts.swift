/// The texts of an offer, as its record in a feed has them.
package struct OfferTexts: Sendable, Hashable {
  /// The texts by the numbers of their fields.
  private var texts = [String?](repeating: nil, count: OfferField.count)
  /// The ISO 4217 code of the currency that the record states beside the text of the reward; nil if
  /// it states none, or if the text has the code in it.
  package var rewardCurrency: String?
  /// Whether the reward is a JSON number, in which a point before three digits is the decimal mark.
  package var isRewardNumber = false
  /// Whether the same record may give other texts later, because a sale begins or ends.
  package var isTimed = false

  package init() {}

  package subscript(field: OfferField) -> String? {
    get { texts[field.rawValue] }
    set { texts[field.rawValue] = newValue }
  }

  /// Whether any of the optional fields from `retailer` on has a text.
  var hasDetails: Bool { texts[OfferField.retailer.rawValue...].contains { $0 != nil } }

  /// Calls `body` with the number and the text of each field, nil if it has none. The fields from
  /// `retailer` on are omitted if none of them has a text.
  func forEachField(_ body: (Int, String?) -> Void) {
    for (field, text) in texts.prefix(hasDetails ? texts.count : OfferField.retailer.rawValue)
      .enumerated()
    { body(field, text) }
  }

  /// The hash of all texts, the id included.
  ///
  /// - Parameter seed: a hash of the rules by which offers are derived from documents.
  package func contentHash(seed: UInt64) -> UInt64 {
    var hash = ContentHash(seed: seed)
    func combine(_ text: String?, _ field: Int) {
      guard var text else { return }
      text.withUTF8 { hash.combine(UnsafeRawBufferPointer($0), tag: UInt64(field) << 32) }
    }
    for (field, text) in texts.enumerated() { combine(text, field) }
    combine(rewardCurrency, OfferField.count)
    if isRewardNumber { hash.combine(nil) }
    return hash.value
  }
}
