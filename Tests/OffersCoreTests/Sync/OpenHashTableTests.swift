import OffersTestSupport
import Testing

@testable import OffersCore

@Suite("Slot indexes")
struct OpenHashTableTests {
  @Test(
    "a position is found by its own hash and by no other", arguments: [0, 1, 2, 3, 31, 32, 5000])
  func finds(count: Int) {
    var random = SeededGenerator(number: count)
    let hashes = (0..<count).map { _ in UInt64.random(in: .min ... .max, using: &random) }
    var index = OpenHashTable(count: count)
    for (slot, hash) in hashes.enumerated() { index.insert(slot, hash: hash) }
    for (slot, hash) in hashes.enumerated() {
      #expect(index.first(hash) { hashes[$0] == hash } == slot)
    }
    for _ in 0..<1000 {
      let hash = UInt64.random(in: .min ... .max, using: &random)
      #expect(index.first(hash) { hashes[$0] == hash } == nil)
    }
  }

  @Test("the predicate chooses among equal hashes, and probing wraps around the table's end")
  func findsAmongEqual() {
    var index = OpenHashTable(count: 40)
    for slot in 0..<40 { index.insert(slot, hash: .max) }
    for slot in 0..<40 { #expect(index.first(.max) { $0 == slot } == slot) }
    #expect(index.first(.max) { _ in false } == nil)
  }
}
