import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Sorted keys")
struct SortedKeysTests {
  @Test("any span of keys is found, in whatever order they were inserted", arguments: 1...6)
  func finds(number: Int) {
    var random = SeededGenerator(number: number)
    let keys = (0..<Int.random(in: 0...40, using: &random)).map { _ in
      Int64.random(in: -5...60, using: &random)
    }
    var inserted = SortedKeys()
    for key in Set(keys) { inserted.insert(key) }
    for sorted in [SortedKeys(Set(keys)), inserted] {
      for last in Int64(-8)...64 {
        for count in Int64(-1)...12 {
          let expected = Set(keys).filter { $0 > last - count && $0 <= last }.sorted()
          #expect(Array(sorted.find(upTo: last, count: count)) == expected)
        }
      }
      #expect(sorted.find(upTo: .min, count: .max).isEmpty)
      #expect(Array(sorted.find(upTo: .max, count: .max)) == Set(keys).filter { $0 > 0 }.sorted())
    }
  }
}
