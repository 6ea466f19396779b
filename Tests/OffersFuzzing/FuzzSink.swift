import OffersCore
import OffersFeeds

/// Checks the texts of the offers that a reader passes on, and hashes everything that it passes on
/// except the reasons for skipping and mending records.
final class FuzzSink: OfferSink {
  private(set) var failure: FuzzFailure?
  private(set) var count = 0
  private var state = ContentHash(seed: 9)

  var hash: UInt64 { state.value }

  func accept(_ texts: OfferTexts, position: Int) {
    add(1, position)
    if (texts[.id]?.count ?? 0) == 0 || (texts[.name]?.count ?? 0) == 0 {
      fail("an offer without id or name")
    }
    for field in OfferField.allCases {
      state.combine(texts[field])
      guard let text = texts[field] else { continue }
      if text.contains(0) { fail("\(field.name) holds a NUL") }
      if String(validating: text, as: UTF8.self) == nil { fail("\(field.name) is not UTF-8") }
    }
  }

  func skip(id: UnsafeRawBufferPointer?, position: Int, reason: String) {
    add(2, position)
    state.combine(id)
  }

  func mend(position: Int, reason: String) { add(3, position) }

  private func add(_ kind: Int, _ position: Int) {
    count += 1
    withUnsafeBytes(of: kind &* 1_000_003 &+ position) { state.combine($0) }
  }

  private func fail(_ reason: String) {
    if failure == nil { failure = FuzzFailure(description: reason) }
  }
}
