import OffersCore
import OffersTestSupport
import Testing

@Suite("Offer records")
struct OfferRecordTests {
  private static func record(_ texts: [OfferField: String]) -> OfferRecord {
    var record = OfferRecord()
    for (field, text) in texts { record[field] = text }
    return record
  }

  /// Encodes a record between others, and decodes it.
  private static func roundTrip(_ record: OfferRecord) throws -> OfferRecord {
    var bytes: [UInt8] = []
    OfferRecord().encode(to: &bytes)
    let start = bytes.count
    record.encode(to: &bytes)
    let end = bytes.count
    OfferRecord().encode(to: &bytes)
    var index = 0
    #expect(OfferRecord(decoding: bytes, at: &index) == OfferRecord())
    #expect(index == start)
    let decoded = try #require(OfferRecord(decoding: bytes, at: &index))
    #expect(index == end)
    return decoded
  }

  @Test("all fields and numbers survive a round trip")
  func keepsEverything() throws {
    var record = OfferRecord()
    for field in OfferField.allCases { record[field] = "\(field.name) é 日本" }
    record.position = 7
    record.contentHash = .max
    record.offerKey = .max
    record.reward = Reward(
      text: record[.reward] ?? "", value: .amount(minorUnits: 75, currency: "USD"), isUpTo: true)
    #expect(try Self.roundTrip(record) == record)
  }

  @Test("an absent field is read as nil, an empty one as empty")
  func tellsNilFromEmpty() throws {
    for field in OfferField.allCases where field != .reward {
      for text in ["", "x"] {
        #expect(try Self.roundTrip(Self.record([field: text])) == Self.record([field: text]))
      }
    }
  }

  @Test("any set of fields of any length survives a round trip")
  func keepsAnyFields() throws {
    var random = SeededGenerator(number: 11)
    for round in 0..<TestSize.scaled(500) {
      var texts: [OfferField: String] = [:]
      for field in OfferField.allCases where field != .reward && Bool.random(using: &random) {
        let count = Int.random(in: 0...20, using: &random)
        texts[field] = String(repeating: "\(round % 10)", count: count)
      }
      #expect(try Self.roundTrip(Self.record(texts)) == Self.record(texts))
    }
  }

  @Test("long texts survive a round trip")
  func keepsLongText() throws {
    let long = String(repeating: "é日", count: 500_000)
    let record = Self.record([.id: "1", .terms: long, .url: "u"])
    #expect(try Self.roundTrip(record) == record)
  }

  @Test(
    "each kind of reward survives a round trip",
    arguments: [
      nil, .amount(minorUnits: 123_456_789, currency: "CAD"), .amount(minorUnits: 5, currency: nil),
      .percent(hundredths: 250), .percent(hundredths: .max),
    ] as [Reward.Value?])
  func keepsRewards(value: Reward.Value?) throws {
    for isUpTo in [false, true] {
      var record = Self.record([.id: "1", .reward: "back"])
      record.reward = Reward(text: "back", value: value, isUpTo: isUpTo)
      #expect(try Self.roundTrip(record) == record)
    }
  }

  @Test("a record that is cut off is not decoded")
  func waitsForTheEnd() {
    var bytes: [UInt8] = []
    Self.record([.id: "1", .name: "Tea"]).encode(to: &bytes)
    for count in 0..<bytes.count {
      var index = 0
      #expect(OfferRecord(decoding: Array(bytes.prefix(count)), at: &index) == nil)
      #expect(index == 0)
    }
  }
}
