import OffersCore
import OffersFeeds
import Testing

@Suite("Reading exports")
struct ExportReaderTests {
  private static func read(_ text: String, pieceBytes: Int = .max) throws -> [ExportRecord] {
    var records: [ExportRecord] = []
    let reader = ExportReader(name: "saved.json") { records.append($0) }
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: max(1, min(pieceBytes, bytes.count))) {
      let piece = bytes[start..<min(bytes.count, start + min(pieceBytes, bytes.count))]
      try piece.withUnsafeBytes { try reader.consume($0) }
    }
    try reader.finish()
    return records
  }

  private static func write(_ records: [ExportRecord]) throws -> String {
    var bytes: [UInt8] = []
    var writer = try ExportWriter { bytes += $0 }
    for record in records { try writer.add(record) }
    try writer.finish()
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func refusal(_ text: String) -> OffersError? {
    #expect(throws: OffersError.self) { try read(text) }
  }

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
    full.description = odd
    full.terms = odd
    full.reward = Reward(
      text: odd, value: .amount(minorUnits: .min, currency: "USD"), isUpTo: true)
    full.imageURL = odd
    full.url = odd
    full.retailer = odd
    full.categories = #"["a\u0009b","c"]"#
    full.startsAt = -377_705_116_800
    full.expiresAt = 253_402_300_799
    full.latitude = -89.123456789012345
    full.longitude = 1e-7
    full.attributes = #"[["L\u0009","V"]]"#
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
    var favorite = ExportedFavorite()
    favorite.ref = OfferRef(feed: "never-synced", offerID: odd)
    favorite.starredAt = 77
    return [
      .feed(feed), .run(run), .run(failed), .offer(plain), .offer(full), .offer(percent),
      .offer(vague), .change(new), .change(changed), .favorite(favorite),
    ]
  }

  @Test(
    "a hint with a command, which older versions wrote, is left out",
    arguments: [
      ("If that is right: offers sync ibotta --accept-removals", nil),
      ("Set it: export KEY=…", nil),
      ("Nothing was changed. If that is right, add --allow-private-network.", nil),
      ("Check that the source is an offers feed.", "Check that the source is an offers feed."),
    ] as [(String, String?)])
  func hints(text: String, read: String?) throws {
    let records = Self.records.compactMap { record -> ExportRecord? in
      guard case .run(var run) = record else {
        if case .feed = record { return record }
        return nil
      }
      run.error?.hint = text
      return .run(run)
    }
    let found = try Self.read(Self.write(records)).compactMap {
      if case .run(let run) = $0 { run.error } else { nil }
    }
    #expect(found.count == 1)
    #expect(found.first?.hint == read)
  }

  @Test("an export survives reading and writing, in chunks of any size")
  func roundTrip() throws {
    let text = try Self.write(Self.records)
    for pieceBytes in [1, 2, 3, 7, 64, 1000, Int.max] {
      let read = try Self.read(text, pieceBytes: pieceBytes)
      #expect(try Self.write(read) == text, "\(pieceBytes)")
    }
    let offers = try Self.read(text).compactMap { record -> ExportedOffer? in
      if case .offer(let offer) = record { offer } else { nil }
    }
    let written = Self.records.compactMap { record -> ExportedOffer? in
      if case .offer(let offer) = record { offer } else { nil }
    }
    #expect(offers == written)
    #expect(zip(offers, written).allSatisfy { $0.says(asMuchAs: $1) })
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
    long.terms = String(repeating: "é", count: 200_000)
    long.url = "https://x.example/" + String(repeating: "a", count: 8 << 10)
    long.retailer = long.name
    long.reward = Reward(text: long.name, value: .percent(hundredths: 5))
    long.categories = "[" + (1...300).map { "\"c\($0)\"" }.joined(separator: ",") + "]"
    long.attributes = "[[\"L\",\"\(String(repeating: "v", count: 20_000))\"]]"
    let read = try Self.read(try Self.write([.feed(feed), .offer(whole), .offer(long)]))
    let offers = read.compactMap { if case .offer(let offer) = $0 { offer } else { nil } }
    try #require(offers.count == 2)
    #expect(offers[0] == whole)
    let cut = String(repeating: "x", count: 4093) + "…"
    let value = String(repeating: "v", count: (16 << 10) - 4) + "…"
    #expect(offers[1].isCut)
    #expect([offers[1].name, offers[1].retailer, offers[1].reward?.text] == [cut, cut, cut])
    #expect(offers[1].reward?.value == long.reward?.value)
    #expect(offers[1].terms == String(repeating: "é", count: 131_070) + "…")
    #expect(offers[1].url == nil)
    #expect(JSONTexts.parse(offers[1].categories ?? "") == (1...256).map { "c\($0)" })
    #expect(offers[1].attributes == "[[\"L\",\"\(value)\"]]")
    if case .feed(let feed)? = read.first {
      #expect(feed.title == cut)
      #expect(feed.shared == [OfferAttribute(label: "L", value: value)])
    }
    // Written again it is within the limits.
    let again = try Self.read(try Self.write(read))
    #expect(!again.contains { if case .offer(let offer) = $0 { offer.isCut } else { false } })
  }

  @Test("an id that is too long is refused")
  func longID() throws {
    var favorite = ExportedFavorite()
    favorite.ref = OfferRef(feed: "test", offerID: String(repeating: "7", count: 1025))
    let error = Self.refusal(try Self.write([.favorite(favorite)]))
    #expect(error?.message.contains("“ref” has an id longer than 1024 bytes") == true)
  }

  @Test("an empty export is one")
  func empty() throws {
    #expect(try Self.read(try Self.write([])).isEmpty)
  }

  @Test("whitespace between tokens is ignored")
  func spaced() throws {
    let text = try Self.write(Self.records)
    let spaced = text.replacing("{\"ref\":", with: " {\n \"ref\" : ").replacing("\n]", with: " ] ")
    #expect(try Self.write(try Self.read(spaced)) == text)
  }

  @Test("an export that is cut off anywhere is refused with the position")
  func truncated() throws {
    let text = Array(try Self.write(Self.records).utf8)
    for count in 0..<text.count - 2 {
      let error = Self.refusal(String(decoding: text[..<count], as: UTF8.self))
      #expect(error?.code == .malformedFeed, "\(count)")
      let tells = error?.message.contains("ends too early, at byte ") == true
      #expect(tells || error?.message == "saved.json is empty.", "\(count)")
    }
  }

  private static let head = #"{"format":"offers-export","version":1,"#
  private static let feed =
    #"{"name":"a","source":"x","subscribed_at":"2026-01-01T00:00:00Z","shared":[]}"#

  private static func offer(_ members: String) -> String {
    "\(head)\"feeds\":[\(feed)],\"runs\":[],\"offers\":[{\(members)}]"
      + ",\"changes\":[],\"favorites\":[]}"
  }

  private static let sound =
    #""ref":"a:1","name":"x","first_seen_at":"2026-01-01T00:00:00Z","changed_at":"2026-01-01T00:00:00Z""#

  @Test("an offer requires its id, name and times only")
  func least() throws {
    #expect(try Self.read(Self.offer(Self.sound)).count == 2)
  }

  private static func more(_ members: String) -> String { offer("\(sound),\(members)") }

  private static func document(_ sections: String) -> String { "\(head)\(sections)" }

  private static let run =
    #"{"feed":"a","source":"x","started_at":"2026-01-01T00:00:00Z","duration_milliseconds":1,"#
    + #""outcome":"updated","bytes":1,"#
    + ExportedRun.countNames.map { "\"\($0)\":0" }.joined(separator: ",") + "}"

  /// A document with one change of these fields.
  private static func changes(_ fields: String) -> String {
    document(
      "\"feeds\":[\(feed)],\"runs\":[\(run)],\"offers\":[{\(sound)}],\"changes\":["
        + "{\"ref\":\"a:1\",\"run\":1,\"kind\":\"changed\",\"fields\":\(fields)}],\"favorites\":[]}"
    )
  }

  @Test("the feeds of an export, and the values in a change, are limited in number")
  func counts() {
    let feeds = (0...10_000).map { Self.feed.replacing("\"a\"", with: "\"f\($0)\"") }
    let numbers = Array(repeating: "7", count: 20_000).joined(separator: ",")
    let members = (0...16_384).map { "\"f\($0)\":7" }.joined(separator: ",")
    for (text, reason) in [
      (
        Self.document("\"feeds\":[\(feeds.joined(separator: ","))]"),
        "in feed 10001: “name” is beyond the 10000 feeds that an export may have"
      ),
      (
        Self.changes("{\"reward\":{\"from\":null,\"to\":[\(numbers)]}}"),
        "in change 1: “fields” has more than 16384 values"
      ),
      (Self.changes("{\(members)}"), "in change 1: “fields” has more than 16384 values"),
    ] {
      let error = Self.refusal(text)
      #expect(error?.code == .malformedFeed)
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
  }

  @Test("a change may have every field with lists at their limits, and commas in its texts")
  func wideChange() throws {
    let list =
      "[" + Array(repeating: #"["a,[{b","c\"c,,"]"#, count: 256).joined(separator: ",") + "]"
    let fields = OfferField.allCases.map { field in
      let value = [.categories, .attributes].contains(field) ? list : #""a,[{b,\"""#
      return "\"\(field.name)\":{\"from\":\(value),\"to\":\(value)}"
    }.joined(separator: ",")
    #expect(try Self.read(Self.changes("{\(fields)}")).count == 4)
    let commas = String(repeating: ",[{", count: 10_000)
    #expect(try Self.read(Self.changes("{\"name\":\"\(commas)\"}")).count == 4)
  }

  private static let mistakes: [(String, String)] = [
    (offer(#""ref":"a:1""#), "in offer 1: “name” is missing"),
    (offer(#""ref":"a1","name":"x""#), "“ref” should be a feed and an id"),
    (offer(#""ref":"A:1","name":"x""#), "“ref” should be a feed and an id"),
    (offer(#""ref":"a:","name":"x""#), "“ref” should be a feed and an id, as in ibotta:900117"),
    (offer(#""ref":"b:1","name":"x""#), "“ref” names none of the feeds above"),
    (offer(#""ref":"a:1","name":"""#), "“name” is empty"),
    (offer(#""ref":"a:1","name":7"#), "“name” should be a text"),
    (offer(#""ref":"a:1","name":"\ud800""#), "“name” is not valid Unicode"),
    (offer(#""ref":"a:1","name":"\udc00\ud800""#), "“name” is not valid Unicode"),
    (offer(#""ref":"a:1","name":"a\u0000b""#), "“name” is not valid Unicode"),
    (offer(#""ref":"a:1","nane":"x""#), "“nane” is not a member of this object"),
    (more(#""gone_at":"today""#), "“gone_at” should be a time like"),
    (more(#""gone_at":"+10000-01-01T00:00:00Z""#), "“gone_at” should be a time like"),
    (more(#""latitude":91"#), "“latitude” should lie between -90 and 90"),
    (more(#""longitude":-180.1"#), "“longitude” should lie between -180 and 180"),
    (more(#""categories":["a",1]"#), "“categories” should be a list of texts"),
    (more(#""attributes":[{"label":"a"}]"#), "“value” is missing"),
    (more(#""reward":{"text":"x"}"#), "“up_to” is missing"),
    (more(#""reward":{"up_to":true}"#), "“text” is missing"),
    (
      more(#""reward":{"text":"x","up_to":false,"minor_units":7}"#),
      "“currency” is missing beside the other one"
    ),
    (
      more(#""reward":{"text":"x","minor_units":7,"currency":"usd"}"#),
      "“currency” should be three capital letters"
    ),
    (
      more(#""reward":{"text":"x","minor_units":7.5,"currency":"USD"}"#),
      "“minor_units” should be a whole number"
    ),
    (
      more(#""reward":{"text":"x","minor_units":7,"currency":"USD","percent":1}"#),
      "“percent” stands beside an amount"
    ),
    (
      more(#""reward":{"text":"x","percent":1.234}"#), "“percent” should have two decimals at most"
    ),
    (
      more(#""reward":{"text":"x","percent":1,"kind":"amount"}"#),
      "“kind” is not what the value is"
    ),
    (more(#""url":"#), "in offer 1: expected a value"),
    (document(#""feeds":[7]"#), "at byte 47, in feed 1: an object was expected"),
    (document("\"feeds\":[\(feed),\(feed)]"), "“name” came before"),
    (
      document(#""feeds":[{"name":"Ibotta"}]"#),
      "should be up to 63 lower-case letters, digits and inner hyphens"
    ),
    (document(#""feeds":[{"name":"--force"}]"#), "letters, digits and inner hyphens"),
    (
      document(
        "\"feeds\":[{\"name\":\"a\",\"source\":\"\(String(repeating: "x", count: 8193))\"}]"),
      "is longer than 8192 bytes"
    ),
    (document(#""feeds":{}"#), "a list was expected"),
    (document(#""offers":[]"#), "“offers” was found where feeds was expected"),
    (document(#""feeds":[],"runs":[]}"#), "the list of offers is missing"),
    (document(#""feeds":[],"feeds":[]"#), "“feeds” was found where runs was expected"),
    (
      document(
        "\"feeds\":[\(feed)],\"runs\":[],\"offers\":[],"
          + #""changes":[{"ref":"a:1","run":1,"kind":"new"}]"#),
      "in change 1: “run” is none of the runs above"
    ),
    (
      document(#""feeds":[],"runs":[{"feed":"a"}]"#), "in run 1: “feed” names none of the feeds"
    ),
  ]

  @Test("an invalid export is refused with the position and the reason", arguments: mistakes)
  func refuses(text: String, reason: String) {
    let error = Self.refusal(text)
    #expect(error?.code == .malformedFeed)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("at byte ") == true)
    #expect(error?.hint?.hasPrefix("Nothing was changed.") == true)
  }

  @Test(
    "another kind of document is refused",
    arguments: [
      "[]", "{}", "7", "<html>", "offers", #"{"offers":[]}"#, #"{"format":"other"}"#,
      #"{"version":1,"format":"offers-export"}"#, "\u{FEFF}{", "SQLite format 3\0",
    ])
  func otherKind(text: String) {
    #expect(Self.refusal(text)?.code == .unexpectedShape)
  }

  @Test("a newer version is refused with both version numbers")
  func newer() {
    let error = Self.refusal(#"{"format":"offers-export","version":2,"things":"#)
    #expect(error?.code == .newerDatabase)
    #expect(
      error?.message.contains("it has format 2, at byte 36, and this one reads up to 1") == true)
  }

  @Test("text after the document is refused")
  func trailing() throws {
    let text = try Self.write([])
    #expect(Self.refusal(text + "{}")?.message.contains("unexpected text after the end") == true)
    #expect(try Self.read(text + " \n").isEmpty)
  }
}
