import Foundation
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersTestSupport
import Testing

@testable import OffersSync

/// A feed with links, which a test syncs from files at times of its choice.
private struct LinkedFeed {
  let home: SyncedFolder
  let hold: String?

  init(hold: String? = nil) async throws {
    home = try await SyncedFolder()
    self.hold = hold
  }

  /// A document of offers with links to a host.
  static func document(
    _ ids: some Sequence<Int>, host: String = "shop.example", title: String = "Shop"
  ) -> String {
    let records = ids.map {
      #"{"id":"\#($0)","name":"Tea \#($0)","link":"https://\#(host)/\#($0)"}"#
    }
    return #"{"title":"\#(title)","items":[\#(records.joined(separator: ","))]}"#
  }

  @discardableResult
  func sync(
    _ text: String, hours: Double, from source: SyncSource? = nil, accepts: Bool = false,
    keeps: Bool = false
  ) async throws -> SyncRun {
    let path = try home.folder.write(text, to: "feed.json")
    let yaml = """
      feeds:
        shop:
          title: {from: title}
          source: "\(path)"
      \(hold.map { "    hold: \($0)" } ?? "")
          items: items
          id: id
          fields: {name: name, link: link}
      """
    let engine = SyncEngine(
      store: home.database, configuration: try .init(yaml: yaml, name: "feeds.yaml"),
      now: { Date(timeIntervalSince1970: 1_767_225_600 + hours * 3600) })
    var options = SyncOptions(source: source, acceptsRemovals: accepts)
    options.keepsMissing = keeps
    return try await engine.run("shop", options: options)
  }

  func ids() async throws -> Set<Int> {
    Set(
      try await home.database.fetchOffers(OfferQuery(feed: "shop")).compactMap {
        Int($0.ref.offerID)
      })
  }

  func held() async throws -> HeldBack? {
    try await home.database.fetchFeeds().first { $0.name == "shop" }?.fetch.held
  }

  static func time(_ hours: Double) -> Date {
    Date(timeIntervalSince1970: 1_767_225_600 + hours * 3600)
  }
}

@Suite("Offers that are held back")
struct HeldBackTests {
  @Test(
    "missing offers go when a document that is six hours younger lacks them, too",
    arguments: [true, false])
  func confirms(isSame: Bool) async throws {
    let feed = try await LinkedFeed()
    try await feed.sync(LinkedFeed.document(1...30), hours: 0)
    let held = try await feed.sync(LinkedFeed.document(13...32), hours: 24)
    #expect(held.outcome == .updated && held.counts.all == [2, 0, 0, 0, 18, 0])
    #expect(held.listedCount == 32)
    #expect(
      try await feed.held()
        == HeldBack(missingCount: 12, since: LinkedFeed.time(24), until: LinkedFeed.time(30)))
    // Nothing is read again if the document is the same.
    let later = LinkedFeed.document(13...32, title: isSame ? "Shop" : "Shop today")
    let early = try await feed.sync(later, hours: 29)
    #expect(early.held?.missingCount == 12 && early.counts.all == [0, 0, 0, 0, 20, 0])
    #expect(try await feed.ids() == Set(1...32))
    let last = try await feed.sync(later + (isSame ? "" : " "), hours: 30)
    #expect(last.outcome == .updated && last.counts.all == [0, 0, 12, 0, 20, 0])
    #expect(try await feed.ids() == Set(13...32))
    #expect(try await feed.held() == nil)
    #expect(try await feed.sync(later + (isSame ? "" : " "), hours: 40).outcome == .unchanged)
  }

  @Test(
    "what waits goes on waiting until its hour, however small the feed", arguments: 1...12,
    [true, false])
  func waitsForItsHour(count: Int, isSame: Bool) async throws {
    let feed = try await LinkedFeed()
    try await feed.sync(LinkedFeed.document(1...count), hours: 0)
    let new = 101...(100 + count)
    try await feed.sync(LinkedFeed.document(new), hours: 24)
    for (number, hours) in [24.1, 25, 29.9].enumerated() {
      let title = isSame ? "Shop" : "Shop \(number)"
      let run = try await feed.sync(LinkedFeed.document(new, title: title), hours: hours)
      #expect(run.counts.gone == 0 && run.held?.until == LinkedFeed.time(30))
      #expect(try await feed.ids() == Set(1...count).union(new))
    }
    #expect(try await feed.sync(LinkedFeed.document(new), hours: 30).counts.gone == count)
    #expect(try await feed.ids() == Set(new))
    #expect(try await feed.held() == nil)
  }

  @Test("a small feed that turns over each hour keeps each offer for its own six hours")
  func turnsOverEachHour() async throws {
    for count in 1...12 {
      let feed = try await LinkedFeed()
      func ids(_ hour: Int) -> Range<Int> { hour * count..<(hour + 1) * count }
      for hour in 0...14 {
        try await feed.sync(LinkedFeed.document(ids(hour)), hours: Double(hour))
        // Those of hour 0 are first missed at hour 1, and go at hour 7.
        let oldest = max(0, hour - 6)
        #expect(try await feed.ids() == Set(oldest * count..<(hour + 1) * count))
      }
    }
  }

  @Test("while some wait, a few others still go at once")
  func removesFewAtOnce() async throws {
    let feed = try await LinkedFeed()
    try await feed.sync(LinkedFeed.document(1...5), hours: 0)
    try await feed.sync(LinkedFeed.document(11...15), hours: 24)
    #expect(try await feed.sync(LinkedFeed.document(13...15), hours: 25).counts.gone == 2)
    #expect(try await feed.ids() == Set(1...5).union(13...15))
    #expect(try await feed.held()?.until == LinkedFeed.time(30))
  }

  @Test("a document of another source confirms nothing, however late")
  func leavesOtherSourcesToPeople() async throws {
    let feed = try await LinkedFeed()
    try await feed.sync(LinkedFeed.document(1...5), hours: 0)
    let other = try feed.home.folder.write(LinkedFeed.document(11...15), to: "other.json")
    for hours in [24.0, 31, 99] {
      let run = try await feed.sync(
        LinkedFeed.document(1...5), hours: hours, from: .file(other))
      #expect(run.outcome == .heldBack && run.counts.gone == 0)
      #expect(try await feed.ids() == Set(1...5).union(11...15))
      #expect(try await feed.held()?.until == nil)
    }
    let accepted = try await feed.sync(
      LinkedFeed.document(1...5), hours: 100, from: .file(other), accepts: true)
    #expect(accepted.outcome == .updated && accepted.counts.gone == 5)
  }

  @Test("syncs that confirm removals do not move the usual time of a daily chart")
  func keepsTheUsualTime() async throws {
    let feed = try await LinkedFeed()
    var hours: [Int] = []
    for hour in 8...104 {
      let stored = try await feed.home.database.fetchFeeds().first { $0.name == "shop" }
      let due = stored?.fetch.nextDue(lastRunAt: stored?.lastRun?.startedAt, everySeconds: 86_400)
      if let due, due > LinkedFeed.time(Double(hour)) { continue }
      hours.append(hour)
      // The chart of a day is there at eight o'clock.
      let first = (hour - 8) / 24 * 20
      try await feed.sync(LinkedFeed.document((first + 1)...(first + 20)), hours: Double(hour))
      #expect(try await feed.ids().isSuperset(of: Set((first + 1)...(first + 20))))
    }
    #expect(hours == [8, 32, 38, 56, 62, 80, 86, 104])
  }

  @Test("a time that has passed is not promised")
  func tellsTimes() {
    let held = HeldBack(missingCount: 2, since: LinkedFeed.time(0), until: LinkedFeed.time(6))
    #expect(held.sentence(of: 9, at: LinkedFeed.time(5)).contains("; they go at 20"))
    #expect(
      held.sentence(of: 9, at: LinkedFeed.time(6))
        .hasSuffix(": held back; they go with the next document that lacks them"))
    let one = HeldBack(missingCount: 1, waitingCount: 3, since: LinkedFeed.time(0), until: nil)
    #expect(
      one.sentence(of: 9, at: LinkedFeed.time(5)).hasSuffix(
        ": held back with a document of 3 offers that does not look like the feed until it is "
          + "removed by hand"))
  }

  @Test("offers whose ids changed while their links and names did not are the same offers")
  func takesOverIDs() async throws {
    let feed = try await LinkedFeed()
    let old = LinkedFeed.document(1...3)
    try await feed.sync(old, hours: 0)
    _ = try await feed.home.database.setFavorites(named: ["shop:1"], to: true)
    let new = old.replacing(#""id":""#, with: #""id":"new-"#)
    for hours in [24.0, 48] {
      let run = try await feed.sync(new, hours: hours)
      #expect(run.outcome == (hours == 24 ? .updated : .unchanged) && run.held == nil)
      #expect(run.counts.all == [0, 0, 0, 0, 3, 0])
    }
    let offers = try await feed.home.database.fetchOffers(OfferQuery(feed: "shop"))
    #expect(Set(offers.map(\.ref.offerID)) == ["new-1", "new-2", "new-3"])
    #expect(offers.filter(\.isFavorite).map(\.ref.offerID) == ["new-1"])
    #expect(offers.allSatisfy { $0.firstSeenAt == LinkedFeed.time(0) })
  }

  @Test("offers that are back meanwhile stay, and are missed anew the next time")
  func forgetsWhatIsBack() async throws {
    let feed = try await LinkedFeed()
    try await feed.sync(LinkedFeed.document(1...30), hours: 0)
    try await feed.sync(LinkedFeed.document(13...30), hours: 24)
    // Three of the twelve are still missing: not many, but missed six hours ago.
    #expect(try await feed.sync(LinkedFeed.document(4...30), hours: 30).counts.gone == 3)
    #expect(try await feed.held() == nil)
    #expect(try await feed.sync(LinkedFeed.document(16...30), hours: 48).counts.gone == 0)
    #expect(try await feed.held()?.since == LinkedFeed.time(48))
  }

  @Test("an empty document has to stay empty for three days, even for a feed without a hold")
  func waitsForEmptyFeeds() async throws {
    for hold in [nil, "0"] {
      let feed = try await LinkedFeed(hold: hold)
      try await feed.sync(LinkedFeed.document(1...2), hours: 0)
      for hours in [24.0, 48, 95] {
        #expect(try await feed.sync(LinkedFeed.document([]), hours: hours).outcome == .heldBack)
        #expect(try await feed.ids() == [1, 2])
      }
      #expect(try await feed.held()?.until == LinkedFeed.time(96))
      #expect(try await feed.sync(LinkedFeed.document([]), hours: 96).counts.gone == 2)
    }
  }

  @Test(
    "a document of another feed waits as a whole, and takes the feed over if it stays",
    arguments: [2, 9, 30])
  func holdsStrangersBack(count: Int) async throws {
    let feed = try await LinkedFeed()
    try await feed.sync(LinkedFeed.document(1...count), hours: 0)
    let other = LinkedFeed.document(101...103, host: "other.example", title: "Other")
    let held = try await feed.sync(other, hours: 24)
    #expect(held.outcome == .heldBack && held.counts.all == [0, 0, 0, 0, 0, 0])
    #expect(
      held.error?.message
        == "None of the \(count) offers is in this document, which does not look like the feed: "
        + "it is held back as a whole.")
    #expect(try await feed.ids() == Set(1...count))
    #expect(try await feed.held()?.waitingCount == 3)
    #expect(held.nextDueAt == LinkedFeed.time(30), "it is read again when the hold ends")
    #expect(
      try await feed.home.database.fetchFeeds().first { $0.name == "shop" }?.title == "Shop")
    let back = try await feed.sync(LinkedFeed.document(1...count), hours: 25)
    #expect(back.counts.all == [0, 0, 0, 0, count, 0])
    #expect(try await feed.held() == nil)
    for hours in [48.0, 53] { #expect(try await feed.sync(other, hours: hours).counts.new == 0) }
    #expect(try await feed.sync(other, hours: 54).counts.all == [3, 0, count, 0, 0, 0])
  }

  @Test("a document with other offers is the feed's own if a link or its title says so")
  func knowsItsOwn() async throws {
    for (host, title) in [
      ("www.shop.example", "Week 48"), ("other.example", "Shop"), ("SHOP.example", "Shop"),
    ] {
      let feed = try await LinkedFeed()
      try await feed.sync(LinkedFeed.document(1...30), hours: 0)
      let next = LinkedFeed.document(101...120, host: host, title: title)
      #expect(try await feed.sync(next, hours: 24).counts.all == [20, 0, 0, 0, 0, 0])
      #expect(try await feed.held()?.missingCount == 30)
    }
  }

  @Test("hold: 0 removes at once, and hold: never leaves it to a person")
  func followsTheDefinition() async throws {
    let turning = try await LinkedFeed(hold: "0")
    try await turning.sync(LinkedFeed.document(1...30), hours: 0)
    #expect(try await turning.sync(LinkedFeed.document(31...60), hours: 1).counts.gone == 30)
    let asking = try await LinkedFeed(hold: "never")
    try await asking.sync(LinkedFeed.document(1...30), hours: 0)
    for hours in [1.0, 7, 700] {
      #expect(try await asking.sync(LinkedFeed.document(31...60), hours: hours).counts.gone == 0)
      #expect(try await asking.held()?.missingCount == 30)
      #expect(try await asking.held()?.until == nil)
    }
    let accepted = try await asking.sync(
      LinkedFeed.document(31...60), hours: 701, accepts: true)
    #expect(accepted.counts.gone == 30)
  }

  @Test("kept offers stay until the feed has them again, or a person removes them")
  func keeps() async throws {
    let feed = try await LinkedFeed()
    try await feed.sync(LinkedFeed.document(1...30), hours: 0)
    try await feed.sync(LinkedFeed.document(13...30), hours: 24)
    let kept = try await feed.sync(LinkedFeed.document(13...30), hours: 25, keeps: true)
    #expect(kept.outcome == .updated && kept.counts.gone == 0)
    #expect(try await feed.held() == nil)
    for hours in [40.0, 400] {
      #expect(try await feed.sync(LinkedFeed.document(13...31), hours: hours).error == nil)
      #expect(try await feed.ids() == Set(1...31))
    }
    // They are back, so that they can vanish like all others.
    try await feed.sync(LinkedFeed.document(1...31), hours: 401)
    try await feed.sync(LinkedFeed.document(13...31), hours: 402)
    #expect(try await feed.sync(LinkedFeed.document(13...31), hours: 408).counts.gone == 12)
    try await feed.sync(LinkedFeed.document(24...31), hours: 409, keeps: true)
    let removed = try await feed.sync(LinkedFeed.document(24...31), hours: 410, accepts: true)
    #expect(removed.counts.gone == 11)
  }

  @Test("offers that were missed at a time ahead wait from the present time on")
  func mistrustsTheClock() async throws {
    let feed = try await LinkedFeed()
    try await feed.sync(LinkedFeed.document(1...30), hours: 0)
    try await feed.sync(LinkedFeed.document(13...30), hours: 9000)
    try await feed.sync(LinkedFeed.document(13...30), hours: 24)
    #expect(try await feed.held()?.until == LinkedFeed.time(30))
    #expect(try await feed.sync(LinkedFeed.document(13...30), hours: 30).counts.gone == 12)
  }
}
