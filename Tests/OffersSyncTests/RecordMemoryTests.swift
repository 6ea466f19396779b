import Foundation
import OffersCore
import OffersFeeds
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("A feed's records, remembered by their bytes")
struct RecordMemoryTests {
  /// What a document is made of, over and over.
  private struct Document {
    var random: SeededGenerator
    /// The records by their ids, in the document's order.
    var records: [(id: Int, text: String)] = []
    var nextID = 1

    private mutating func record(_ id: Int) -> String {
      let price = Int.random(in: 1...9, using: &random)
      let fields =
        switch Int.random(in: 0..<8, using: &random) {
        // Half of a surrogate pair, which is mended and told each time.
        case 0: #""terms":"\ud800 each","current_value":"$\#(price)""#
        // Nothing by itself.
        case 1: #""url":"images/\#(price).png","current_value":"$\#(price)""#
        // No offer.
        case 2: #""terms":"none""#
        default: #""terms":"Any size","current_value":"$\#(price).00 Cash Back""#
        }
      let name = fields.contains("none") ? "null" : #""Tea \#(id)""#
      return #"{"id":"\#(id)","name":\#(name),\#(fields)}"#
    }

    mutating func change() {
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where records.count > 15:
          records.remove(at: .random(in: 0..<records.count, using: &random))
        case 1: records.shuffle(using: &random)
        case 2, 3:
          guard let place = records.indices.randomElement(using: &random) else { continue }
          records[place].text = record(records[place].id)
        case 4:
          // One that comes again.
          guard let one = records.randomElement(using: &random) else { continue }
          records.append(one)
        default:
          for _ in 0..<3 {
            let place = Int.random(in: 0...records.count, using: &random)
            records.insert((nextID, record(nextID)), at: place)
            nextID += 1
          }
        }
      }
    }

    var text: String { "[" + records.map(\.text).joined(separator: ",") + "]" }
  }

  @Test("whether they are remembered or read makes no difference", arguments: UInt64(1)...6)
  func agreesWithReading(seed: UInt64) async throws {
    let homes = [try SyncedFolder(), try SyncedFolder()]
    let stores = [
      RecordingStore(homes[0].database), RecordingStore(homes[1].database, forgetsRecords: true),
    ]
    var document = Document(random: SeededGenerator(seed: seed))
    for round in 1...25 {
      document.change()
      // Every other time all is written anew, with other white space.
      let text = round % 6 == 0 ? document.text.replacing("\",\"", with: "\" ,\n\"") : document.text
      var runs: [SyncRun] = []
      for (home, store) in zip(homes, stores) {
        runs.append(
          try await store.sync(text, in: home, acceptsRemovals: true, at: 1000 * round))
      }
      #expect(runs[0].counts == runs[1].counts, "round \(round)")
      #expect(runs[0].problems == runs[1].problems, "round \(round)")
      #expect(runs[0].mendedCount == runs[1].mendedCount, "round \(round)")
      for isGone in [false, true] {
        var query = OfferQuery()
        query.goneOnly = isGone
        let offers = try await homes[0].database.fetchOffers(query)
        let others = try await homes[1].database.fetchOffers(query)
        #expect(offers == others, "round \(round)")
      }
    }
  }

  /// A collector of what the database knows, for records of the ibotta feed.
  private static func collector(_ home: SyncedFolder) async throws -> DifferenceCollector {
    let definition = try #require(try FeedCatalog.find("ibotta"))
    return DifferenceCollector(
      known: try await home.database.fetchKnownOffers(of: "ibotta"),
      memory: try await home.database.fetchRecordMemory(of: "ibotta"), definition: definition,
      derivationSeed: definition.derivationSeed, folder: home.folder.path)
  }

  private static func isKnown(_ record: String, _ collector: DifferenceCollector) -> Bool {
    Array(record.utf8).withUnsafeBytes { collector.recognize($0) } == record.utf8.count
  }

  @Test("a record is taken unread when it says by itself what it said")
  func recognizes() async throws {
    let home = try SyncedFolder()
    let plain = FeedText.record(1)
    let relative = #"{"id":"2","name":"Tea","url":"/images/2.png","terms":"Any size"}"#
    let mended = #"{"id":"3","name":"Tea","terms":"\ud800 each, any size"}"#
    let broken = #"{"id":"4","name":null,"terms":"Any size or variety"}"#
    try await home.sync(FeedText.list([plain, relative, mended, broken]))
    let collector = try await Self.collector(home)
    #expect(!Self.isKnown(relative, collector))
    #expect(!Self.isKnown(mended, collector))
    #expect(!Self.isKnown(broken, collector))
    #expect(Self.isKnown(plain, collector))
    #expect(collector.unchangedCount == 1)
    // It counts once.
    #expect(!Self.isKnown(plain, collector))
  }

  @Test("what changes around a record makes it read again")
  func readsAgain() async throws {
    let home = try SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    #expect(Self.isKnown(FeedText.record(2), try await Self.collector(home)))
    // It vanishes, and comes back as it was.
    try await home.sync(FeedText.feed([1, 3]), at: 2_000)
    #expect(!Self.isKnown(FeedText.record(2), try await Self.collector(home)))
    #expect(Self.isKnown(FeedText.record(3), try await Self.collector(home)))
    let back = try await home.sync(FeedText.feed(1...3), at: 3_000)
    #expect(back.counts.all == [0, 0, 0, 1, 2, 0])
    // It says something else, then the same as before.
    try await home.sync(FeedText.list((1...3).map { FeedText.record($0, name: "Milk") }), at: 4_000)
    #expect(!Self.isKnown(FeedText.record(2), try await Self.collector(home)))
    let again = try await home.sync(FeedText.feed(1...3), at: 5_000)
    #expect(again.counts.all == [0, 3, 0, 0, 0, 0])
  }

  @Test("a document that changes nothing is not remembered in place of another")
  func keepsWhatItHas() async throws {
    let home = try SyncedFolder()
    try await home.sync(FeedText.feed(1...20))
    let spaced = FeedText.feed(1...20).replacing(":", with: ": ")
    let run = try await home.sync(spaced, at: 2_000)
    #expect(run.counts.all == [0, 0, 0, 0, 20, 0])
    #expect(Self.isKnown(FeedText.record(2), try await Self.collector(home)))
    // With the next change it is, from there on. What came before is read once more.
    let changed = spaced.replacing("Tea 3", with: "Milk")
    #expect(try await home.sync(changed, at: 3_000).counts.all == [0, 1, 0, 0, 19, 0])
    let collector = try await Self.collector(home)
    #expect(!Self.isKnown(FeedText.record(2), collector))
    #expect(!Self.isKnown(FeedText.record(2).replacing(":", with: ": "), collector))
    #expect(!Self.isKnown(FeedText.record(4), collector))
    #expect(Self.isKnown(FeedText.record(4).replacing(":", with: ": "), collector))
  }

  @Test("a few records that differ are read each time, before all is written down again")
  func keepsWhatIsNearlyRight() async throws {
    let home = try SyncedFolder()
    try await home.sync(FeedText.feed(1...100))
    let old = try await home.database.fetchRecordMemory(of: "ibotta")
    #expect(old.count == 100)
    // Two say something else, one is gone, and one is new.
    var records = (1...101).map { FeedText.record($0, name: $0 < 3 ? "Milk" : "Tea") }
    records.remove(at: 50)
    let run = try await home.sync(FeedText.list(records), at: 2_000)
    #expect(run.counts.all == [1, 2, 1, 0, 97, 0])
    #expect(try await home.database.fetchRecordMemory(of: "ibotta") == old)
    #expect(
      try await home.sync(FeedText.list(records + [" "]).replacing(", ]", with: " ]"), at: 3_000)
        .counts.all == [0, 0, 0, 0, 100, 0])
    // With two more it is worth it.
    records[5] = FeedText.record(6, name: "Milk")
    records[6] = FeedText.record(7, name: "Milk")
    #expect(
      try await home.sync(FeedText.list(records), at: 4_000).counts.all == [0, 2, 0, 0, 98, 0])
    let new = try await home.database.fetchRecordMemory(of: "ibotta")
    #expect(new.count == 100)
    #expect(new[0] != old[0] && new[5] != old[5] && new[2] == old[2])
  }

  @Test("an id that comes again is skipped wherever it stands, and no other offer takes its place")
  func skipsRepeatedIDs() async throws {
    let home = try SyncedFolder()
    // More than is remembered in one piece, with a repeat behind each of many places.
    let count = 8200
    var records = (1...count).map { FeedText.record($0) }
    for place in stride(from: count, through: count - 20, by: -1) {
      records.insert(FeedText.record(place, name: "Other"), at: place)
    }
    let run = try await home.sync(FeedText.list(records))
    #expect(run.counts.all == [count, 0, 0, 0, 0, 21])
    #expect(try await home.database.fetchOffers(OfferQuery()).count == count)
    let changes = try await home.database.fetchChanges(ChangeQuery(now: Date())).changes
    #expect(changes.count == count)
    #expect(Set(changes.map(\.offer.ref)).count == count)
  }
}
