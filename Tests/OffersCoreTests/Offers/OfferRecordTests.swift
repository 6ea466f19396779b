import OffersCore
import OffersTestSupport
import Testing

@Suite("Offer records")
struct OfferRecordTests {
  /// The parts of a record, copied.
  private struct Parts: Equatable {
    var position = 0
    var contentHash: UInt64 = 0
    var offerKey: Int64 = 0
    var value: Reward.Value?
    var isUpTo = false
    var texts: [OfferField: String] = [:]
  }

  /// Writes a record into memory with a guard value after it, and reads it back.
  private static func roundTrip(
    _ texts: [OfferField: String], position: Int = 1, contentHash: UInt64 = 0, offerKey: Int64 = 0,
    reward: ExactReward = ExactReward()
  ) throws -> Parts {
    var views = OfferTexts()
    for (field, text) in texts { views[field] = text }
    let byteCount = OfferRecord.byteCount(of: views)
    #expect(byteCount % 8 == 0)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount + 64, alignment: 8)
    defer { room.deallocate() }
    for index in room.indices { room[index] = 0xEE }
    let base = try #require(room.baseAddress)
    OfferRecord.write(
      views, position: position, contentHash: contentHash, offerKey: offerKey, reward: reward,
      byteCount: byteCount, to: base)
    #expect(room.dropFirst(byteCount).allSatisfy { $0 == 0xEE })

    let record = OfferRecord(at: base)
    #expect(record.byteCount == byteCount)
    var order: [OfferField] = []
    var parts = Parts(
      position: record.position, contentHash: record.contentHash, offerKey: record.offerKey,
      value: record.rewardValue, isUpTo: record.isUpTo)
    record.forEachField { field, text in
      order.append(field)
      parts.texts[field] = text.map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(order == OfferField.allCases)
    return parts
  }

  private static func reward(
    kind: UInt8, _ number: Int64, _ currency: (UInt8, UInt8, UInt8) = (0, 0, 0),
    isUpTo: Bool = false
  ) -> ExactReward {
    var reward = ExactReward()
    reward.kind = kind
    reward.number = number
    reward.currency = currency
    reward.isUpTo = isUpTo
    return reward
  }

  @Test("all fields and numbers survive a round trip")
  func keepsEverything() throws {
    var texts: [OfferField: String] = [:]
    for field in OfferField.allCases { texts[field] = "\(field.name) é 日本" }
    let parts = try Self.roundTrip(
      texts, position: 7, contentHash: .max, offerKey: .max,
      reward: Self.reward(kind: OfferRecord.amount, 75, (0x55, 0x53, 0x44), isUpTo: true))
    #expect(
      parts
        == Parts(
          position: 7, contentHash: .max, offerKey: .max,
          value: .amount(minorUnits: 75, currency: "USD"), isUpTo: true, texts: texts))
  }

  @Test("an absent field is read as nil, an empty one as empty")
  func tellsNilFromEmpty() throws {
    #expect(try Self.roundTrip([:]).texts == [:])
    for field in OfferField.allCases {
      #expect(try Self.roundTrip([field: ""]).texts == [field: ""])
      #expect(try Self.roundTrip([field: "x"]).texts == [field: "x"])
    }
  }

  @Test("any set of fields of any length survives a round trip")
  func keepsAnyFields() throws {
    var random = SeededGenerator(number: 11)
    for round in 0..<TestSize.scaled(500) {
      var texts: [OfferField: String] = [:]
      for field in OfferField.allCases where Bool.random(using: &random) {
        let count = Int.random(in: 0...20, using: &random)
        texts[field] = String(repeating: "\(round % 10)", count: count)
      }
      #expect(try Self.roundTrip(texts, position: round).texts == texts)
    }
  }

  @Test("long texts survive a round trip")
  func keepsLongText() throws {
    let long = String(repeating: "é日", count: 500_000)
    let texts: [OfferField: String] = [.id: "1", .terms: long, .url: "u"]
    #expect(try Self.roundTrip(texts).texts == texts)
  }

  @Test("each kind of reward survives a round trip")
  func keepsRewards() throws {
    func value(_ reward: ExactReward) throws -> Reward.Value? {
      try Self.roundTrip([.id: "1"], reward: reward).value
    }
    #expect(try value(ExactReward()) == nil)
    #expect(
      try value(Self.reward(kind: OfferRecord.amount, 123_456_789, (0x43, 0x41, 0x44)))
        == .amount(minorUnits: 123_456_789, currency: "CAD"))
    #expect(
      try value(Self.reward(kind: OfferRecord.percent, 250)) == .percent(hundredths: 250))
    #expect(
      try value(Self.reward(kind: OfferRecord.percent, .max)) == .percent(hundredths: .max))
    #expect(try Self.roundTrip([:], reward: Self.reward(kind: 0, 0, isUpTo: true)).isUpTo)
  }

  @Test("the stored parts of a reward equal those written")
  func keepsRewardParts() throws {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 8)
    defer { room.deallocate() }
    let base = try #require(room.baseAddress)
    OfferRecord.write(
      OfferTexts(), position: 1, contentHash: 0, offerKey: 0,
      reward: Self.reward(kind: OfferRecord.amount, 5, (0x55, 0x53, 0x44)),
      byteCount: OfferRecord.byteCount(of: OfferTexts()), to: base)
    let parts = OfferRecord(at: base).rewardParts
    #expect(parts.kind == OfferRecord.amount)
    #expect(parts.number == 5)
    #expect(Array(parts.currency) == Array("USD".utf8))
  }
}
