/// An offer on its way from a document to the store.
///
/// The reader of the document sets the texts, and the sync what it knows of the offer.
package struct OfferRecord: Sendable, Hashable {
  /// The texts by the numbers of their fields.
  private var texts = [String?](repeating: nil, count: OfferField.count)
  /// The ISO 4217 code of the currency that the record states beside the text of the reward; nil if
  /// it states none, or if the text has the code in it.
  package var rewardCurrency: String?
  /// Whether the reward is a JSON number, in which a point before three digits is the decimal mark.
  package var isRewardNumber = false
  /// Whether the reward or price, and the end, come from the offer's title or description.
  package var isRewardFromText = false
  package var isEndFromText = false
  /// Whether the same document may give another offer later, because a sale begins or ends.
  package var isTimed = false

  /// The number of the record in the feed, counted from 1.
  package var position = 0
  /// The hash of all texts; see `makeContentHash`.
  package var contentHash: UInt64 = 0
  /// The store's key of the offer that this record replaces; 0 for a new offer.
  package var offerKey: Int64 = 0
  /// The reward with its exact value.
  package var reward: Reward?

  package init() {}

  /// The text of a field; nil if the feed has none.
  package subscript(field: OfferField) -> String? {
    get { texts[field.rawValue] }
    set { texts[field.rawValue] = newValue }
  }

  /// The offer's id in its feed.
  package var id: String { self[.id] ?? "" }

  /// The hash of all texts, the id included.
  ///
  /// - Parameter seed: a hash of the rules by which offers are derived from documents.
  package func makeContentHash(seed: UInt64) -> UInt64 {
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

/// The form of a record in the temporary file of a sync: its size in 4 bytes, numbers of 8 bytes, and
/// texts after their sizes in 4 bytes, all ones for nil.
extension OfferRecord {
  /// Appends the record to bytes, without what only the sync needs that reads the document.
  package func encode(to bytes: inout [UInt8]) {
    let start = bytes.count
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    append(UInt32(0))
    append(Int64(position))
    append(contentHash)
    append(offerKey)
    append(reward?.minorUnits ?? reward?.percentHundredths ?? 0)
    append(UInt8(reward?.minorUnits != nil ? 1 : reward?.percentHundredths != nil ? 2 : 0))
    append(UInt8(reward?.isUpTo == true ? 1 : 0))
    func append(_ text: String?) {
      guard var text else { return append(UInt32.max) }
      append(UInt32(text.utf8.count))
      text.withUTF8 { bytes.append(contentsOf: $0) }
    }
    for text in texts { append(text) }
    append(reward?.storedCurrency)
    withUnsafeBytes(of: UInt32(bytes.count - start).littleEndian) {
      bytes.replaceSubrange(start..<start + 4, with: $0)
    }
  }

  /// Decodes the record that `encode` has written at an index, and moves the index past it. Returns
  /// nil if the bytes end before the record does.
  package init?(decoding bytes: [UInt8], at index: inout Int) {
    var next = index
    self.init()
    let isWhole = bytes.withUnsafeBytes { bytes in
      func number<Number: FixedWidthInteger>(_: Number.Type) -> Number {
        defer { next += MemoryLayout<Number>.size }
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: next, as: Number.self))
      }
      func text() -> String? {
        let count = number(UInt32.self)
        if count == .max { return nil }
        defer { next += Int(count) }
        return String(decoding: bytes[next..<next + Int(count)], as: UTF8.self)
      }
      guard bytes.count - next >= 4 else { return false }
      let size = Int(number(UInt32.self))
      guard bytes.count - next >= size - 4 else { return false }
      position = Int(number(Int64.self))
      contentHash = number(UInt64.self)
      offerKey = number(Int64.self)
      let units = number(Int64.self)
      let kind = number(UInt8.self)
      let isUpTo = number(UInt8.self) == 1
      for field in texts.indices { texts[field] = text() }
      let currency = text()
      if let reward = self[.reward] {
        let value: Reward.Value? =
          switch kind {
          case 1: .amount(minorUnits: units, storedCurrency: currency ?? "")
          case 2: .percent(hundredths: units)
          default: nil
          }
        self.reward = Reward(text: reward, value: value, isUpTo: isUpTo)
      }
      return true
    }
    if !isWhole { return nil }
    index = next
  }
}

/// The exact value of a reward, as the parser of rewards finds it.
package struct ExactReward {
  /// `amount` or `percent`; 0 for no exact value.
  package var kind: UInt8 = 0
  package var number: Int64 = 0
  package var currency: (UInt8, UInt8, UInt8) = (0, 0, 0)
  package var isUpTo = false

  package static let amount: UInt8 = 1
  package static let percent: UInt8 = 2

  package init() {}
}

extension Reward {
  /// A printed reward with the exact value that was found in it.
  package init(text: String, exact: ExactReward) {
    let (a, b, c) = exact.currency
    let value: Value? =
      switch exact.kind {
      case ExactReward.amount:
        .amount(
          minorUnits: exact.number, storedCurrency: String(decoding: [a, b, c], as: UTF8.self))
      case ExactReward.percent: .percent(hundredths: exact.number)
      default: nil
      }
    self.init(text: text, value: value, isUpTo: exact.isUpTo)
  }
}
