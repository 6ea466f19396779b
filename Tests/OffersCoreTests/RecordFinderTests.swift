import OffersCore
import OffersTestSupport
import Testing

@Suite("Records that are known by their bytes")
struct RecordFinderTests {
  private static func text(_ number: Int, _ rest: String = "Tea") -> String {
    #"{"id":"\#(100_000 + number)","name":"\#(rest)","terms":"None at all"}"#
  }

  private static func record(_ text: String, key: Int64, seed: UInt64 = 1) -> RememberedRecord {
    withBytes(of: text) { bytes in
      let read = ReadRecord(bytes: bytes, valueHash: valueHash(key))
      return RememberedRecord(of: read, seed: seed, contentMark: 7).with(key: key)
    }
  }

  private static func valueHash(_ key: Int64) -> UInt64 { UInt64(key) &* 0x9e37_79b9_7f4a_7c15 }

  private static func finder(_ texts: [String], seed: UInt64 = 1) -> RecordFinder {
    let records = texts.enumerated().map { record($1, key: Int64($0 + 1)) }
    return RecordFinder(records, seed: seed)
  }

  /// The key and the length of what a text begins with; of a stranger, the values are nobody's either.
  private static func find(_ text: String, in finder: inout RecordFinder) -> [UInt32]? {
    guard let number = withBytes(of: text, { finder.find($0) }) else {
      #expect(finder.find(valueHash: 1) == nil)
      return nil
    }
    return [finder.records[number].key, finder.records[number].byteCount]
  }

  /// Two in a row say that records may stand anywhere.
  private static func findStrangers(in finder: inout RecordFinder) {
    for _ in 0..<2 { _ = find("{ a stranger that is long enough to be one }", in: &finder) }
  }

  private static func find(valuesOf key: Int64, in finder: inout RecordFinder) -> UInt32? {
    finder.find(valueHash: valueHash(key)).map { finder.records[$0].key }
  }

  @Test("records are found in their order, in any other, and what stands behind them is no matter")
  func findsInAnyOrder() {
    let texts = (0..<300).map { Self.text($0) }
    let size = UInt32(texts[0].utf8.count)
    for order in [Array(0..<300), Array((0..<300).reversed()), Array((0..<300).shuffled())] {
      var finder = Self.finder(texts)
      Self.findStrangers(in: &finder)
      for number in order {
        let found = Self.find(texts[number] + ", {and so on", in: &finder)
        #expect(found == [UInt32(number + 1), size])
      }
    }
  }

  @Test("new records between, records that are missing and changed ones do not hide the others")
  func findsAroundDifferences() {
    let texts = (0..<50).map { Self.text($0) }
    var finder = Self.finder(texts)
    for number in 0..<50 where number % 7 != 3 {
      if number % 5 == 2 {
        #expect(Self.find(Self.text(number, "Tee"), in: &finder) == nil)
        #expect(Self.find(Self.text(1000 + number), in: &finder) == nil)
      } else {
        #expect(Self.find(texts[number], in: &finder)?.first == UInt32(number + 1))
      }
    }
  }

  @Test("a changed byte anywhere, a cut end and other rules make another record")
  func tellsStrangers() {
    let text = Self.text(1)
    for place in 0..<text.utf8.count {
      var bytes = Array(text.utf8)
      bytes[place] ^= 1
      var finder = Self.finder([text])
      #expect(bytes.withUnsafeBytes { finder.find($0) } == nil, "byte \(place)")
    }
    for count in 0..<text.utf8.count {
      var finder = Self.finder([text])
      #expect(Self.find(String(text.prefix(count)), in: &finder) == nil)
    }
    var finder = Self.finder([text], seed: 2)
    #expect(Self.find(text, in: &finder) == nil)
  }

  @Test("of records that begin alike some are found, and the rest are read")
  func findsSomeOfThoseThatBeginAlike() {
    let start = #"{"kind":"an offer of the week","id":""#
    let texts = (0..<40).map { start + "\($0)\"}" }
    var finder = Self.finder(texts)
    Self.findStrangers(in: &finder)
    let found = texts.reversed().map { Self.find($0, in: &finder) }
    #expect(found.contains { $0 != nil })
    for (number, key) in found.enumerated() where key != nil {
      #expect(key?.first == UInt32(40 - number))
    }
  }

  @Test("records that begin alike are found behind one that changed, and behind one that is gone")
  func findsBehindChanges() {
    let start = #"{"kind":"an offer of the week","id":""#
    let texts = (0..<400).map { start + "\($0)\"}" }
    var finder = Self.finder(texts)
    var missed: [Int] = []
    for number in 0..<400 where number % 10 != 5 {
      if number % 10 == 2 {
        // Read, it turns out to be the same offer.
        #expect(Self.find(start + "changed\"}", in: &finder) == nil)
        finder.pass(key: Int64(number + 1))
      } else if Self.find(texts[number], in: &finder)?.first != UInt32(number + 1) {
        missed.append(number)
      }
    }
    #expect(missed == [])
  }

  @Test("records written anew are found by their values, in their order and around differences")
  func findsByValues() {
    var finder = Self.finder((0..<50).map { Self.text($0) })
    for key in Int64(1)...50 where key % 7 != 3 {
      if key % 5 == 2 {
        #expect(finder.find(valueHash: 1) == nil)
        finder.pass(key: key)
      } else {
        #expect(Self.find(valuesOf: key, in: &finder) == UInt32(key))
      }
    }
  }

  @Test("in any other order they are found once some were strangers")
  func findsValuesInAnyOrder() {
    var random = SeededGenerator(seed: 1)
    let keys = (Int64(1)...300).shuffled(using: &random)
    var finder = Self.finder((0..<300).map { Self.text($0) })
    let found = keys.map { Self.find(valuesOf: $0, in: &finder) }
    #expect(found.filter { $0 == nil }.count < 40)
    for (key, one) in zip(keys, found) where one != nil { #expect(one == UInt32(key)) }
  }

  @Test("a record that says nothing by itself is found by nobody's values")
  func findsNoneByNothing() {
    var finder = RecordFinder([.none, .none], seed: 1)
    #expect(finder.find(valueHash: 0) == nil)
  }

  @Test("many of which the values are not known cost no search", .timeLimit(.minutes(1)))
  func passesOverUnknownValues() {
    let record = RememberedRecord(
      hash: 1, valueHash: 0, startHash: 1, byteCount: 99, contentMark: 1, key: 1)
    var finder = RecordFinder(Array(repeating: record, count: 200_000), seed: 1)
    for hash in UInt64(1)...100 { #expect(finder.find(valueHash: hash) == nil) }
    #expect(finder.find(valueHash: 0) == nil)
  }

  @Test("a record of which the rest is still to come costs nothing")
  func waitsForTheRest() {
    let text = Self.text(1)
    var finder = Self.finder([text])
    for _ in 0..<1000 {
      #expect(withBytes(of: String(text.dropLast())) { finder.find($0) } == nil)
    }
    #expect(Self.find(text, in: &finder) != nil)
  }

  @Test("a document that has none of them is not searched to its end")
  func givesUp() {
    let texts = (0..<10).map { Self.text($0) }
    var finder = Self.finder(texts)
    for number in 0..<1000 { #expect(Self.find(Self.text(5000 + number), in: &finder) == nil) }
    #expect(Self.find(texts[0], in: &finder) == nil)
    // What is new between known ones does not end it.
    finder = Self.finder(texts)
    for number in 0..<1000 {
      for stranger in 0..<4 { #expect(Self.find(Self.text(5000 + stranger), in: &finder) == nil) }
      #expect(Self.find(texts[number % 10], in: &finder) != nil)
    }
  }

  @Test("short records and keys that are too large are not remembered")
  func remembersNoOthers() {
    #expect(Self.record(#"{"id":"1","name":"Tea"}"#, key: 1) == .none)
    #expect(Self.record(Self.text(1), key: Int64(UInt32.max) + 1) == .none)
    #expect(Self.record(Self.text(1), key: Int64(UInt32.max)) != .none)
  }

  @Test("a record comes back as it was stored, the lowest byte first")
  func comesBack() {
    let record = Self.record(Self.text(1), key: 0x0403_0201)
    var words = [UInt64](repeating: 0, count: RememberedRecord.storedBytes / 8)
    words.withUnsafeMutableBytes { room in
      guard let base = room.baseAddress else { return }
      record.store(to: base)
      #expect(Array(room[20...]) == [1, 2, 3, 4])
      #expect(RememberedRecord(stored: base, valueHash: record.valueHash) == record)
    }
  }

  @Test(
    "a known record counts once, while its offer is there with the content it gave",
    arguments: [[2, 5, 9, 11], [2, 3, 4, 5], [1, 2, 3, 5]] as [[Int64]])
  func countsOnce(keys: [Int64]) {
    var known = KnownOffers(capacity: 4)
    for (id, key) in zip(["a", "b", "c", "d"], keys) {
      withBytes(of: id) {
        known.insert(id: $0, contentHash: 7 | 1 << 40, key: key, isGone: key == keys[2])
      }
    }
    let stored = keys.map(UInt32.init)
    let records = [
      (stored[3], 7), (stored[0], 7), (stored[2], 7), (stored[1], 8), (6, 7), (12, 7), (99, 7),
      (stored[1], 7), (0, 7), (.max, 7),
    ].map {
      RememberedRecord(
        hash: 1, valueHash: 1, startHash: 1, byteCount: 99, contentMark: $1, key: $0)
    }
    known.recall(records)
    func see(_ number: Int) -> Bool {
      let isThere = records.indices.contains(number)
      return known.see(recalled: number, key: isThere ? records[number].key : stored[1])
    }
    #expect(!see(records.count) && !see(64), "not recalled")
    #expect(see(0) && see(1))
    #expect(!see(1), "seen already")
    #expect(!see(2), "gone")
    #expect(!see(3), "of other content")
    #expect(!see(4) && !see(5) && !see(6) && !see(8) && !see(9), "unknown")
    #expect(known.vanishedKeys() == [keys[1]])
    #expect(see(7))
    #expect(known.vanishedKeys() == [])
    #expect(known.seenCurrentCount == 3)
  }
}
