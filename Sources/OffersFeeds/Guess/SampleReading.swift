import OffersCore

/// The result of reading a sample with a definition.
struct SampleReading {
  let itemCount: Int
  /// The number of items that are offers.
  let offerCount: Int
  /// The number of different ids of offers.
  let idCount: Int
  /// The number of offers that repeat the id of an earlier one.
  var repeatCount: Int { offerCount - idCount }
  private let reasons: [String: Int]

  /// The number of bytes that are read between two looks at whether the task is cancelled.
  private static let pieceBytes = 64 << 10

  /// Reads a sample.
  ///
  /// - Parameters:
  ///   - text: the sample in UTF-8.
  ///   - definition: how to read the sample; the encoding that it names is ignored.
  ///   - isCut: true when the sample is not the whole document.
  /// - Throws: the errors of `FeedReader`; `CancellationError`.
  init(_ text: [UInt8], as definition: FeedDefinition, isCut: Bool) throws {
    var definition = definition
    // The sample is transcoded already, so the encoding that the document declares no longer
    // applies.
    definition.encoding = "utf-8"
    let counts = Counts()
    let reader = FeedReader(definition: definition, sink: counts)
    try text.withUnsafeBytes { text in
      for start in stride(from: 0, to: text.count, by: Self.pieceBytes) {
        try Task.checkCancellation()
        let end = min(start + Self.pieceBytes, text.count)
        try reader.consume(UnsafeRawBufferPointer(rebasing: text[start..<end]))
      }
    }
    if !isCut { try reader.finish() }
    itemCount = reader.itemCount
    offerCount = counts.offerCount
    idCount = counts.ids.count
    reasons = counts.reasons
  }

  /// The most frequent problems of the items, in whole sentences.
  var notes: [String] {
    var notes = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3).map {
      "\($0.value) of \(itemCount) items \($0.value == 1 ? "is" : "are") left out: \($0.key)."
    }
    if repeatCount > 0 {
      let verb = repeatCount == 1 ? "repeats" : "repeat"
      notes.append("\(repeatCount) of \(itemCount) items \(verb) the id of another item.")
    }
    return notes
  }

  private final class Counts: OfferSink {
    var offerCount = 0
    var ids: Set<[UInt8]> = []
    var reasons: [String: Int] = [:]

    func accept(_ texts: OfferTexts, position: Int) {
      offerCount += 1
      if let id = texts[.id] { ids.insert(Array(id)) }
    }

    func skip(id: UnsafeRawBufferPointer?, position: Int, reason: String) {
      // Bounds the dictionary, since reasons that quote values are all different.
      if reasons.count < 100 || reasons[reason] != nil { reasons[reason, default: 0] += 1 }
    }

    func mend(position: Int, reason: String) {}
  }
}
