import OffersCore
import OffersFeeds
import Testing

@Suite("Reading exports")
struct ExportReaderTests {
  /// One record of each kind, with the most unusual texts that a database can hold.
  private static var records: [ExportRecord] {
    let odd = "a\"b\\c\n\r\n\t\u{1}\u{7F}\u{85}\u{2028}\u{FFFD}\u{202E}é e\u{301} 日本🍓/"
    var feed = ExportedFeed()
    feed.name = "my-feed-2"
    feed.title = odd
    feed.source = "https://example.com/\(odd)"
    feed.chosenSource = "/feeds/a.json"
    feed.subscribedAt = -5
    feed.unsubscribedAt = 0
    feed.shared = [OfferAttribute(label: odd, value: ""), OfferAttribute(label: "", value: odd)]
    var run = ExportedRun()
    run.feed = feed.name
    run.source = odd
    run.startedAt = 1_000
    run.durationMilliseconds = 12
    run.bytes = .max
    run.counts = [1, 2, 3, 4, 5, 6, 7]
    var failed = run
    failed.outcome = .failed
    failed.error = .init(code: "sourceFailed", message: odd, hint: nil)
    var plain = ExportedOffer()
    plain.ref = OfferRef(feed: feed.name, offerID: "1")
    plain.name = "Tea"
    var full = plain
    full.ref = OfferRef(feed: feed.name, offerID: "a:b \(odd)")
    full.name = odd
    full[.description] = odd
    full[.terms] = odd
    full.reward = Reward(
      text: odd, value: .amount(minorUnits: .min, currency: "USD"), isUpTo: true)
    full[.imageURL] = odd
    full[.url] = odd
    full[.retailer] = odd
    full[.categories] = #"["a\u0009b","c"]"#
    full.startsAt = -377_705_116_800
    // The end of 9999-12-31 in New York.
    full.expiresAt = 253_402_318_799
    full.latitude = -89.123456789012345
    full.longitude = 1e-7
    full[.attributes] = #"[["L\u0009","V"]]"#
    full.firstSeenAt = 1
    full.changedAt = 2
    full.goneAt = 3
    var percent = plain
    percent.ref = OfferRef(feed: feed.name, offerID: "3")
    percent.reward = Reward(text: "2.05%", value: .percent(hundredths: 205))
    var vague = plain
    vague.ref = OfferRef(feed: feed.name, offerID: "4")
    vague.reward = Reward(text: "Win a car")
    var new = ExportedChange()
    new.ref = plain.ref
    new.run = 1
    var changed = new
    changed.kind = .changed
    changed.fields = #"{"name":{"from":"a\n","to":null}}"#
    var ana = ExportedUser()
    ana.name = "Ana \"é\" 日本🍓"
    ana.role = .admin
    ana.isOwner = true
    ana.createdAt = 5
    ana.searches = [
      .init(words: odd, feed: nil, searchedAt: 7), .init(words: "x", feed: "a", searchedAt: 6),
    ]
    ana.marks = [.init(reader: odd, run: 2, readAt: 9), .init(reader: "mail", run: 0, readAt: 8)]
    var ben = ExportedUser()
    ben.name = "ben"
    var favorite = ExportedFavorite()
    favorite.user = ben.name
    favorite.ref = OfferRef(feed: "never-synced", offerID: odd)
    favorite.starredAt = 77
    favorite.sharedAt = 78
    return [
      .feed(feed), .run(run), .run(failed), .offer(plain), .offer(full), .offer(percent),
      .offer(vague), .change(new), .change(changed), .user(ana), .user(ben), .favorite(favorite),
    ]
  }

  @Test("an export survives reading and writing, in chunks of any size")
  func roundTrip() throws {
    let text = try ExportReading.write(Self.records)
    for pieceBytes in [1, 2, 3, 7, 64, 1000, Int.max] {
      let read = try ExportReading.read(text, pieceBytes: pieceBytes)
      #expect(try ExportReading.write(read) == text, "\(pieceBytes)")
    }
    let offers = try ExportReading.read(text).compactMap { record -> ExportedOffer? in
      if case .offer(let offer) = record { offer } else { nil }
    }
    let written = Self.records.compactMap { record -> ExportedOffer? in
      if case .offer(let offer) = record { offer } else { nil }
    }
    #expect(offers == written)
  }

  @Test("an offer that an older version exported is kept within the limits, and told")
  func limits() throws {
    var feed = ExportedFeed()
    feed.name = "test"
    feed.source = "sample"
    feed.title = String(repeating: "x", count: 5000)
    feed.shared = [OfferAttribute(label: "L", value: String(repeating: "v", count: 20_000))]
    var whole = ExportedOffer()
    whole.ref = OfferRef(feed: "test", offerID: String(repeating: "7", count: 1024))
    whole.name = String(repeating: "x", count: 4 << 10)
    var long = whole
    long.ref = OfferRef(feed: "test", offerID: "1")
    long.name += "y"
    long[.terms] = String(repeating: "é", count: 200_000)
    long[.url] = "https://x.example/" + String(repeating: "a", count: 8 << 10)
    long[.retailer] = long.name
    long.reward = Reward(text: long.name, value: .percent(hundredths: 5))
    long[.categories] = "[" + (1...300).map { "\"c\($0)\"" }.joined(separator: ",") + "]"
    long[.attributes] = "[[\"L\",\"\(String(repeating: "v", count: 20_000))\"]]"
    let read = try ExportReading.read(
      try ExportReading.write([.feed(feed), .offer(whole), .offer(long)]))
    let offers = read.compactMap { if case .offer(let offer) = $0 { offer } else { nil } }
    try #require(offers.count == 2)
    #expect(offers[0] == whole)
    let cut = String(repeating: "x", count: 4093) + "…"
    let value = String(repeating: "v", count: (16 << 10) - 4) + "…"
    #expect(offers[1].isCut)
    #expect([offers[1].name, offers[1][.retailer], offers[1].reward?.text] == [cut, cut, cut])
    #expect(offers[1].reward?.value == long.reward?.value)
    #expect(offers[1][.terms] == String(repeating: "é", count: 131_070) + "…")
    #expect(offers[1][.url] == nil)
    #expect(JSONTexts.parse(offers[1][.categories] ?? "") == (1...256).map { "c\($0)" })
    #expect(offers[1][.attributes] == "[[\"L\",\"\(value)\"]]")
    if case .feed(let feed)? = read.first {
      #expect(feed.title == cut)
      #expect(feed.shared == [OfferAttribute(label: "L", value: value)])
    }
    // Written again it is within the limits.
    let again = try ExportReading.read(try ExportReading.write(read))
    #expect(!again.contains { if case .offer(let offer) = $0 { offer.isCut } else { false } })
  }

  @Test(
    "a text of a change may be as long as one of an offer, and no longer",
    arguments: [
      ("name", 4 << 10, #"{"name":{"from":"@","to":null}}"#),
      ("name", 4 << 10, #"{"name":{"from":"a","to":"@"}}"#),
      ("terms", 256 << 10, #"{"url":null,"terms":{"from":"@","to":"b"}}"#),
      ("url", 8 << 10, #"{"url":{"from":null,"to":"@"}}"#),
      ("reward", 4 << 10, #"{"reward":{"from":{"text":"@","up_to":false},"to":null}}"#),
      ("categories", 1 << 10, #"{"categories":{"from":["a","@"],"to":[]}}"#),
      ("attributes", 16 << 10, #"{"attributes":{"from":[],"to":[{"label":"l","value":"@"}]}}"#),
    ] as [(String, Int, String)])
  func longFields(name: String, limit: Int, fields: String) throws {
    func document(_ text: String) throws -> String {
      try ExportReading.write(
        Self.records.map { record in
          guard case .change(var change) = record, change.fields != nil else { return record }
          change.fields = fields.replacing("@", with: text)
          return .change(change)
        })
    }
    // The last two bytes are one character, written as an escape.
    let fitting = String(repeating: "x", count: limit - 2) + "\\u00e9"
    #expect(try ExportReading.read(document(fitting)).count == Self.records.count)
    let error = ExportReading.refusal(try document(fitting + "x"))
    #expect(error?.code == .malformedFeed)
    let reason = "in change 2: “fields” has a text in “\(name)” of more than \(limit >> 10) KiB"
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "accepted")")
  }

  @Test("an id that is too long is refused")
  func longID() throws {
    var favorite = ExportedFavorite()
    favorite.ref = OfferRef(feed: "test", offerID: String(repeating: "7", count: 1025))
    favorite.user = "ben"
    var ben = ExportedUser()
    ben.name = "ben"
    let error = ExportReading.refusal(try ExportReading.write([.user(ben), .favorite(favorite)]))
    #expect(error?.message.contains("“ref” has an id longer than 1024 bytes") == true)
  }

  @Test("an empty export is one")
  func empty() throws {
    #expect(try ExportReading.read(try ExportReading.write([])).isEmpty)
  }

  @Test("whitespace between tokens is ignored")
  func spaced() throws {
    let text = try ExportReading.write(Self.records)
    let spaced = text.replacing("{\"ref\":", with: " {\n \"ref\" : ").replacing("\n]", with: " ] ")
    #expect(try ExportReading.write(try ExportReading.read(spaced)) == text)
  }

  @Test("an export that is cut off anywhere is refused with the position")
  func truncated() throws {
    let text = Array(try ExportReading.write(Self.records).utf8)
    for count in 0..<text.count - 2 {
      let error = ExportReading.refusal(String(decoding: text[..<count], as: UTF8.self))
      #expect(error?.code == .malformedFeed, "\(count)")
      let tells = error?.message.contains("ends too early, at byte ") == true
      #expect(tells || error?.message == "saved.json is empty.", "\(count)")
    }
  }

  @Test(
    "another kind of document is refused",
    arguments: [
      "[]", "{}", "7", "<html>", "offers", #"{"offers":[]}"#, #"{"format":"other"}"#,
      #"{"version":1,"format":"offers-export"}"#, "\u{FEFF}{", "SQLite format 3\0",
    ])
  func otherKind(text: String) {
    #expect(ExportReading.refusal(text)?.code == .unexpectedShape)
  }

  @Test("a newer version is refused with both version numbers")
  func newer() {
    let error = ExportReading.refusal(#"{"format":"offers-export","version":5,"things":"#)
    #expect(error?.code == .newerDatabase)
    #expect(
      error?.message.contains("it has format 5, at byte 36, and this one reads up to 4") == true)
  }

  @Test("text after the document is refused")
  func trailing() throws {
    let text = try ExportReading.write([])
    #expect(
      ExportReading.refusal(text + "{}")?.message.contains("unexpected text after the end") == true)
    #expect(try ExportReading.read(text + " \n").isEmpty)
  }
}
