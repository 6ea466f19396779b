import OffersCore
import OffersTestSupport
import Testing

@Suite("Known offers")
struct KnownOffersTests {
  private struct Model {
    var contentHash: UInt64
    var key: Int64
    var isGone: Bool
    var isSeen = false
  }

  private static func insert(
    _ id: String, hash: UInt64 = 1, key: Int64, isGone: Bool = false, into known: inout KnownOffers
  ) {
    withBytes(of: id) { known.insert(id: $0, contentHash: hash, key: key, isGone: isGone) }
  }

  private static func see(
    _ id: String, hash: UInt64 = 1, in known: inout KnownOffers
  ) -> KnownOffers.Sighting {
    known.see(id: id, contentHash: hash)
  }

  @Test(
    "random operations give the same results as a dictionary",
    arguments: 1...(TestSize.isLong ? 3 : 1))
  func agreesWithDictionary(number: Int) {
    var random = SeededGenerator(number: number)
    var known = KnownOffers(capacity: 10_000)
    var model: [String: Model] = [:]
    for number in 0..<10_000 {
      let entry = Model(
        contentHash: UInt64.random(in: 0...3, using: &random), key: Int64(10_000 - number),
        isGone: Int.random(in: 0..<5, using: &random) == 0)
      model["offer \(number)"] = entry
      Self.insert(
        "offer \(number)", hash: entry.contentHash, key: entry.key, isGone: entry.isGone,
        into: &known)
    }
    #expect(known.count == 10_000)
    #expect(known.currentCount == model.values.count { !$0.isGone })

    var broken: [String] = []
    var next = 0
    for _ in 0..<12_000 {
      // Mostly in order, with jumps, and with unknown ids.
      next =
        Int.random(in: 0..<4, using: &random) == 0
        ? .random(in: 0..<11_000, using: &random) : next + 1
      let id = "offer \(next)"
      if Int.random(in: 0..<10, using: &random) == 0 {
        known.seeBroken(id: id)
        broken.append(id)
        continue
      }
      let hash = UInt64.random(in: 0...3, using: &random)
      #expect(Self.see(id, hash: hash, in: &known) == Self.sighting(model[id], hash))
      model[id]?.isSeen = true
    }
    known.settleBroken()
    for id in broken { model[id]?.isSeen = true }
    let seen = model.values.filter { $0.isSeen && !$0.isGone }
    let vanished = model.values.filter { !$0.isSeen && !$0.isGone }
    #expect(known.seenCurrentCount == seen.count)
    #expect(known.vanishedKeys() == vanished.map(\.key).sorted())
  }

  private static func isUnchanged(_ sighting: KnownOffers.Sighting) -> Bool {
    if case .unchanged = sighting { true } else { false }
  }

  private static func sighting(_ entry: Model?, _ hash: UInt64) -> KnownOffers.Sighting {
    guard let entry else { return .new }
    if entry.isSeen { return .repeated }
    if entry.contentHash == hash && !entry.isGone { return .unchanged(key: entry.key) }
    return .different(key: entry.key)
  }

  @Test("every lookup in an empty table is new")
  func knowsNothing() {
    var known = KnownOffers(capacity: 0)
    #expect(Self.see("a", in: &known) == .new)
    #expect(Self.see("a", in: &known) == .new)
    #expect(known.count == 0)
    #expect(known.vanishedKeys().isEmpty)
  }

  @Test("every offer of a feed in the stored order is unchanged", arguments: [1, 2, 17, 1000])
  func followsTheOrder(count: Int) {
    var known = KnownOffers(capacity: count)
    for number in 0..<count { Self.insert("\(number)", key: Int64(number + 1), into: &known) }
    for number in 0..<count {
      #expect(Self.isUnchanged(Self.see("\(number)", in: &known)))
    }
    #expect(Self.see("\(count)", in: &known) == .new)
    #expect(Self.see("0", in: &known) == .repeated)
    #expect(known.vanishedKeys().isEmpty)
  }

  @Test("every offer of a feed in reverse order is unchanged")
  func findsAnyOrder() {
    var known = KnownOffers(capacity: 500)
    for number in 0..<500 { Self.insert("\(number)", key: Int64(number + 1), into: &known) }
    for number in (0..<500).reversed() {
      #expect(Self.isUnchanged(Self.see("\(number)", in: &known)))
    }
    #expect(known.seenCurrentCount == 500)
  }

  @Test("a gone offer with the same content is different")
  func noticesReturn() {
    var known = KnownOffers(capacity: 1)
    Self.insert("a", hash: 5, key: 9, isGone: true, into: &known)
    #expect(known.currentCount == 0)
    #expect(Self.see("a", hash: 5, in: &known) == .different(key: 9))
    #expect(known.seenCurrentCount == 0)
    #expect(known.vanishedKeys().isEmpty)
  }

  @Test("an offer that was gone before does not vanish again")
  func leavesGoneOffers() {
    var known = KnownOffers(capacity: 3)
    Self.insert("a", key: 3, into: &known)
    Self.insert("b", key: 2, isGone: true, into: &known)
    Self.insert("c", key: 1, into: &known)
    #expect(known.vanishedKeys() == [1, 3])
  }

  @Test("an offer with a broken record does not vanish")
  func keepsBrokenOffers() {
    var known = KnownOffers(capacity: 2)
    Self.insert("a", key: 1, into: &known)
    Self.insert("b", key: 2, into: &known)
    known.seeBroken(id: "b")
    known.seeBroken(id: "stranger")
    known.settleBroken()
    #expect(known.vanishedKeys() == [1])
    #expect(known.seenCurrentCount == 1)
  }

  @Test("a valid record counts after a broken one of the same offer")
  func prefersSoundRecords() {
    var known = KnownOffers(capacity: 1)
    Self.insert("a", key: 1, into: &known)
    known.seeBroken(id: "a")
    #expect(Self.see("a", hash: 7, in: &known) == .different(key: 1))
    known.settleBroken()
    #expect(known.seenCurrentCount == 1)
  }

  @Test("large keys and more offers than the capacity are stored")
  func keepsLargeKeys() {
    var known = KnownOffers(capacity: 1)
    let keys = [1, Int64(1) << 40, (Int64(1) << 61) - 1]
    for key in keys { Self.insert("\(key)", key: key, into: &known) }
    #expect(known.vanishedKeys() == keys)
    #expect(Self.see("\(keys[2])", hash: 7, in: &known) == .different(key: keys[2]))
  }
}
