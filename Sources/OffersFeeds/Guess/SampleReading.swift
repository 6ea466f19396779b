import OffersCore

/// What comes of reading a sample by a definition.
struct SampleReading {
  let itemCount: Int
  /// How many of them are offers.
  let offerCount: Int
  /// What went wrong with some of the items, in whole sentences.
  let notes: [String]

  /// Reads a sample.
  ///
  /// - Parameters:
  ///   - text: in UTF-8.
  ///   - isCut: true when the sample is not the whole document.
  /// - Throws: what the reader throws of a document that is whole.
  init(_ text: [UInt8], as definition: FeedDefinition, isCut: Bool) throws {
    var definition = definition
    // What the document says of its encoding was true of its bytes.
    definition.encoding = "utf-8"
    let counts = Counts()
    let reader = FeedReader(definition: definition, sink: counts)
    try text.withUnsafeBytes { try reader.consume($0) }
    if !isCut { try reader.finish() }
    itemCount = reader.itemCount
    offerCount = counts.offerCount
    let repeatCount = counts.offerCount - counts.ids.count
    let reasons = counts.reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3).map {
      "\($0.value) of \(reader.itemCount) items are left out: \($0.key)."
    }
    notes =
      repeatCount == 0
      ? reasons
      : reasons + ["\(repeatCount) of \(reader.itemCount) items repeat the id of another item."]
  }

  /// Counts what is read.
  private final class Counts: OfferSink {
    var offerCount = 0
    var ids: Set<[UInt8]> = []
    var reasons: [String: Int] = [:]

    func accept(_ texts: OfferTexts, position: Int) {
      offerCount += 1
      if let id = texts.id { ids.insert(Array(id)) }
    }

    func skip(id: UnsafeRawBufferPointer?, position: Int, reason: String) {
      // Reasons with a value in them are all different.
      if reasons.count < 100 || reasons[reason] != nil { reasons[reason, default: 0] += 1 }
    }

    func mend(position: Int, reason: String) {}
  }
}
