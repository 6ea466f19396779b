/// The texts of an offer, as views of the reader's memory that are valid only during the call that
/// passes them.
package struct OfferTexts {
  /// The texts by the numbers of their fields.
  @usableFromInline
  var texts = [UnsafeRawBufferPointer?](repeating: nil, count: OfferField.count)
  /// The ISO 4217 code of the currency that the record states beside the text of the reward; nil if
  /// it states none, or if the text has the code in it.
  package var rewardCurrency: (UInt8, UInt8, UInt8)?
  /// Whether the reward is a JSON number, in which a point before three digits is the decimal mark.
  package var isRewardNumber = false
  /// Whether the same record may give other texts later, because a sale begins or ends.
  package var isTimed = false

  package init() {}

  /// Sets all texts to nil.
  package mutating func clear() {
    for field in texts.indices { texts[field] = nil }
    rewardCurrency = nil
    isRewardNumber = false
    isTimed = false
  }

  @inlinable
  package subscript(field: OfferField) -> UnsafeRawBufferPointer? {
    @inline(__always) get { texts[field.rawValue] }
    @inline(__always) set { texts[field.rawValue] = newValue }
  }

  /// Whether any of the optional fields from `retailer` on has a text.
  var hasDetails: Bool { texts[OfferField.retailer.rawValue...].contains { $0 != nil } }

  /// Calls `body` with the number and the text of each field, nil if it has none. The fields from
  /// `retailer` on are omitted if none of them has a text.
  @inline(__always)
  func forEachField(_ body: (Int, UnsafeRawBufferPointer?) -> Void) {
    let count = hasDetails ? texts.count : OfferField.retailer.rawValue
    for field in 0..<count { body(field, texts[field]) }
  }

  /// The hash of all texts, the id included.
  ///
  /// - Parameter seed: a hash of the rules by which offers are derived from documents.
  package func contentHash(seed: UInt64) -> UInt64 {
    var hash = ContentHash(seed: seed)
    forEachField { field, text in
      if let text { hash.combine(text, tag: UInt64(field) << 32) }
    }
    if let (a, b, c) = rewardCurrency {
      withUnsafeBytes(of: (a, b, c)) { hash.combine($0, tag: UInt64(OfferField.count) << 32) }
    }
    if isRewardNumber { hash.combine(nil) }
    return hash.value
  }
}
