/// A serialized offer on its way from a reader to a store: a view of memory that is valid only
/// during the call that passes it. Its texts stay UTF-8 and are never converted to `String`, for
/// speed.
///
/// Layout, in native byte order, 8-byte aligned: byte count (4), position (4), content hash (8),
/// offer key (8), reward number (8), reward kind (1), up to (1), currency (3), number of lengths
/// (1), padding (2), then that many lengths of texts (4 each, all ones for nil), then the texts.
/// Fields beyond the number of lengths are nil.
package struct OfferRecord {
  @usableFromInline let base: UnsafeRawPointer

  /// Views the record that starts at an 8-byte aligned address.
  package init(at base: UnsafeRawPointer) {
    self.base = base
  }

  /// The size of the record in bytes, padding included.
  package var byteCount: Int { Int(base.load(as: UInt32.self)) }
  /// The record's position in the feed, counted from 1.
  package var position: Int { Int(base.load(fromByteOffset: 4, as: UInt32.self)) }
  /// The hash of all texts of the offer.
  package var contentHash: UInt64 { base.load(fromByteOffset: 8, as: UInt64.self) }
  /// The store's key of the offer that this record replaces; 0 for a new offer.
  package var offerKey: Int64 { base.load(fromByteOffset: 16, as: Int64.self) }

  /// The exact value of the reward.
  package var rewardValue: Reward.Value? {
    let number = base.load(fromByteOffset: 24, as: Int64.self)
    switch base.load(fromByteOffset: 32, as: UInt8.self) {
    case Self.amount:
      let code = (0..<3).map {
        Character(UnicodeScalar(base.load(fromByteOffset: 34 + $0, as: UInt8.self)))
      }
      return .amount(minorUnits: number, storedCurrency: String(code))
    case Self.percent:
      return .percent(hundredths: number)
    default:
      return nil
    }
  }

  /// Whether the reward's value is an upper bound (“up to”).
  package var isUpTo: Bool { base.load(fromByteOffset: 33, as: UInt8.self) != 0 }

  /// Whether the record has any of the optional fields from `retailer` on.
  package var hasDetails: Bool { lengthCount > OfferField.retailer.rawValue }

  @inlinable
  var lengthCount: Int { Int(base.load(fromByteOffset: 37, as: UInt8.self)) }

  /// The offer's id in its feed.
  package var id: String {
    text(OfferField.id.rawValue).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// A field's text; nil if the feed has none.
  package func text(_ field: Int) -> UnsafeRawBufferPointer? {
    var found: UnsafeRawBufferPointer?
    forEachText(of: field + 1) { if $0 == field { found = $1 } }
    return found
  }

  @inlinable
  func length(_ field: Int) -> UInt32 {
    base.load(fromByteOffset: Self.lengthOffset + 4 * field, as: UInt32.self)
  }

  /// Calls `body` with each field's text in the order of `OfferField`; nil if the feed has none.
  package func forEachField(
    _ body: (OfferField, UnsafeRawBufferPointer?) throws -> Void
  ) rethrows {
    try forEachText(of: OfferField.count) { number, text in
      if let field = OfferField(rawValue: number) { try body(field, text) }
    }
  }

  /// Calls `body` with the numbers and texts of the first `count` fields.
  @inlinable
  package func forEachText(
    of count: Int, _ body: (Int, UnsafeRawBufferPointer?) throws -> Void
  ) rethrows {
    let lengthCount = lengthCount
    var offset = Self.textOffset(lengthCount)
    for field in 0..<min(count, lengthCount) {
      let length = length(field)
      if length == .max {
        try body(field, nil)
      } else {
        try body(field, UnsafeRawBufferPointer(start: base + offset, count: Int(length)))
        offset += Int(length)
      }
    }
    if count > lengthCount {
      for field in lengthCount..<count { try body(field, nil) }
    }
  }

  /// The reward's kind, number and currency as they are in the record; kind 0 means no exact value.
  package var rewardParts: (kind: UInt8, number: Int64, currency: UnsafeRawBufferPointer) {
    (
      base.load(fromByteOffset: 32, as: UInt8.self),
      base.load(fromByteOffset: 24, as: Int64.self),
      UnsafeRawBufferPointer(start: base + 34, count: 3)
    )
  }

  package static let amount: UInt8 = 1
  package static let percent: UInt8 = 2
  @inlinable
  static var lengthOffset: Int { 40 }

  @inlinable
  static func textOffset(_ lengthCount: Int) -> Int { lengthOffset + 4 * lengthCount }

  /// The number of lengths in a record: all fields, or only those before `retailer` if there are no
  /// details.
  private static func lengthCount(of texts: OfferTexts) -> Int {
    texts.hasDetails ? OfferField.count : OfferField.retailer.rawValue
  }

  /// The size of a record with these texts, in bytes.
  package static func byteCount(of texts: OfferTexts) -> Int {
    var total = textOffset(lengthCount(of: texts))
    texts.forEachField { _, text in total += text?.utf8.count ?? 0 }
    return (total + 7) / 8 * 8
  }

  /// Writes a record at an 8-byte aligned address with room for `byteCount(of:)` bytes.
  package static func write(
    _ texts: OfferTexts, position: Int, contentHash: UInt64, offerKey: Int64, reward: ExactReward,
    byteCount: Int, to base: UnsafeMutableRawPointer
  ) {
    base.storeBytes(of: UInt32(byteCount), as: UInt32.self)
    base.storeBytes(of: UInt32(clamping: position), toByteOffset: 4, as: UInt32.self)
    base.storeBytes(of: contentHash, toByteOffset: 8, as: UInt64.self)
    base.storeBytes(of: offerKey, toByteOffset: 16, as: Int64.self)
    base.storeBytes(of: reward.number, toByteOffset: 24, as: Int64.self)
    base.storeBytes(of: reward.kind, toByteOffset: 32, as: UInt8.self)
    base.storeBytes(of: reward.isUpTo ? 1 : 0, toByteOffset: 33, as: UInt8.self)
    base.storeBytes(of: reward.currency.0, toByteOffset: 34, as: UInt8.self)
    base.storeBytes(of: reward.currency.1, toByteOffset: 35, as: UInt8.self)
    base.storeBytes(of: reward.currency.2, toByteOffset: 36, as: UInt8.self)
    let lengthCount = lengthCount(of: texts)
    base.storeBytes(of: UInt8(lengthCount), toByteOffset: 37, as: UInt8.self)
    var offset = textOffset(lengthCount)
    texts.forEachField { field, text in
      base.storeBytes(
        of: text.map { UInt32($0.utf8.count) } ?? .max, toByteOffset: lengthOffset + 4 * field,
        as: UInt32.self)
      if var text {
        text.withUTF8 { bytes in
          guard let start = bytes.baseAddress else { return }
          (base + offset).copyMemory(from: start, byteCount: bytes.count)
        }
        offset += text.utf8.count
      }
    }
  }
}

/// The exact value of a reward, as the numbers that a record stores.
package struct ExactReward {
  package var kind: UInt8 = 0
  package var number: Int64 = 0
  package var currency: (UInt8, UInt8, UInt8) = (0, 0, 0)
  package var isUpTo = false

  package init() {}
}
