import OffersCore
import OffersFeeds
import OffersTestSupport
import Testing

@Suite("Corrupted documents")
struct MutatedDocumentTests {
  private static let seeds: [(document: [UInt8], definition: FeedDefinition)] = [
    (
      Array(
        """
        [{"id":"1","name":"Caf\\u00e9 \\ud83d\\ude00","terms":"a\\r\\nb","x":[1,{"y":null}]},
        {"id":2.5e3,"name":"日本","url":"","current_value":"$1.00"},{"name":"C"},7]
        """.utf8), FeedDefinition.ibotta
    ),
    (
      Array(
        #"{"a":[1,[]],"feed":{"results":[{"id":"1","name":"A"},{"id":"2","name":"é\\"}],"n":true}}"#
          .utf8), .below("feed", "results")
    ),
  ]

  private static let tokens: [[UInt8]] =
    [
      "[", "]", "{", "}", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "\\u0000", "null",
      "true", "-", "0", "1e", ".", "\r\n", "\u{0}", "\"id\":", "\"name\":", "{\"id\":\"3\"}", "é",
      "\u{FEFF}", "<",
    ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F]]

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let end = min(bytes.count, place + Int.random(in: 1...12, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0 where place < bytes.count:
      bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 1 where place < bytes.count:
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2:
      bytes.removeSubrange(place..<end)
    case 3:
      bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
    case 4:
      bytes.removeSubrange(place...)
    default:
      bytes.insert(contentsOf: tokens.randomElement(using: &random) ?? [], at: place)
    }
  }

  @Test(
    "each gives records or an error, the same in any chunks", arguments: 1...4)
  func survivesMutations(number: Int) throws {
    var random = SeededGenerator(number: number)
    var acceptedCount = 0
    var refusedCount = 0
    let count = TestSize.scaled(5000)
    for round in 0..<count {
      let (document, definition) = Self.seeds[round % Self.seeds.count]
      var bytes = document
      for _ in 0..<Int.random(in: 1...3, using: &random) { Self.mutate(&bytes, &random) }
      let whole = try FeedReading(bytes, as: definition)
      let sizes = (0..<4).map { _ in Int.random(in: 1...40, using: &random) }
      let pieces = try FeedReading(bytes, as: definition, pieceSizes: sizes)
      #expect(
        pieces == whole,
        "number \(number), round \(round), pieces \(sizes): \(String(decoding: bytes, as: UTF8.self))"
      )
      if whole.error == nil { acceptedCount += 1 } else { refusedCount += 1 }
    }
    // Documents that are all accepted or all refused would not cover much.
    #expect(acceptedCount > count / 50)
    #expect(refusedCount > count / 50)
  }
}
