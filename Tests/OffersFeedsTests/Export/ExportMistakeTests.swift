import OffersCore
import OffersFeeds
import Testing

@Suite("Mistakes in exports")
struct ExportMistakeTests {
  private static let head = #"{"format":"offers-export","version":4,"#
  private static let feed =
    #"{"name":"a","source":"x","subscribed_at":"2026-01-01T00:00:00Z","shared":[]}"#

  private static func offer(_ members: String) -> String {
    "\(head)\"feeds\":[\(feed)],\"runs\":[],\"offers\":[{\(members)}]"
      + ",\"changes\":[],\"users\":[],\"favorites\":[]}"
  }

  /// A document with these users and favorites.
  private static func users(_ users: [String], _ favorites: String = "") -> String {
    let list = users.map { "{\($0)}" }.joined(separator: ",")
    return document(
      "\"feeds\":[],\"runs\":[],\"offers\":[],\"changes\":[],\"users\":[\(list)],"
        + "\"favorites\":[\(favorites)]}")
  }

  private static let ben = #""name":"ben","role":"member","owner":false"#
  private static let star = #""ref":"a:1","starred_at":"2026-01-01T00:00:00Z""#

  private static let sound =
    #""ref":"a:1","name":"x","first_seen_at":"2026-01-01T00:00:00Z","changed_at":"2026-01-01T00:00:00Z""#

  /// A document with a feed that is shown in this way.
  private static func shown(_ members: String) -> String {
    let feed = feed.dropLast() + ",\"presentation\":{\(members)}}"
    return document(
      "\"feeds\":[\(feed)],\"runs\":[],\"offers\":[],\"changes\":[],\"users\":[],\"favorites\":[]}")
  }

  private static let rows = #""layout":"rows","noun":"film","nouns":"films","value_role":"price""#

  @Test("how offers are shown requires a layout, a noun with its plural, and a role")
  func presentations() throws {
    let shown = try ExportReading.read(Self.shown("\(Self.rows),\"byline\":[\"By\"]"))
    guard case .feed(let feed)? = shown.first else {
      _ = Issue.record("\(shown)")
      return
    }
    #expect(
      feed.presentation
        == FeedPresentation(
          layout: .rows, noun: OfferNoun("film"), valueRole: .price, byline: ["By"]))
    for (members, reason) in [
      ("", "“layout” is missing"),
      (Self.rows.replacing("\"rows\"", with: "\"wall\""), "“layout” should be one of grid, "),
      (Self.rows.replacing("\"film\"", with: "\"a\\u001b[31m\""), "“noun” and “nouns” should be"),
      (
        Self.rows.replacing("films", with: String(repeating: "x", count: 41)),
        "should be words of at most 40 letters"
      ),
      (
        Self.rows.replacing("\"price\"", with: "\"gift\""), "“value_role” should be reward or price"
      ),
      (Self.rows + #","byline":["a","b","c","d"]"#, "“byline” has more than 3 labels"),
      (Self.rows + #","size":"large""#, "“size” is not a member of this object"),
    ] {
      let error = #expect(throws: OffersError.self) {
        try ExportReading.read(Self.shown(members))
      }
      #expect(error?.message.contains("in feed 1: ") == true, "\(members)")
      #expect(error?.message.contains(reason) == true, "\(members): \(error?.message ?? "")")
    }
  }

  @Test("an offer requires its id, name and times only")
  func least() throws {
    #expect(try ExportReading.read(Self.offer(Self.sound)).count == 2)
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
        + "{\"ref\":\"a:1\",\"run\":1,\"kind\":\"changed\",\"fields\":\(fields)}],\"users\":[],"
        + "\"favorites\":[]}"
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
      let error = ExportReading.refusal(text)
      #expect(error?.code == .malformedFeed)
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
  }

  /// A comparison in Unicode would put the marks in order, one by one: for minutes.
  @Test("a long run of combining marks in a name of a field or a user is refused at once")
  func combiningMarks() {
    let marks = "a" + String(repeating: "\u{301}\u{316}", count: 300_000)
    let favorite = #"{"user":"\#(marks)","ref":"a:1","starred_at":"2026-01-01T00:00:00Z"}"#
    let begun = ContinuousClock.now
    for (text, reason) in [
      (Self.changes("{\"\(marks)\":1}"), "has a name of more than 4 KiB"),
      (
        Self.changes("{}").replacing("\"favorites\":[]", with: "\"favorites\":[\(favorite)]"),
        "names none of the users above"
      ),
    ] {
      let message = ExportReading.refusal(text)?.message
      #expect(message?.contains(reason) == true, "\(message?.prefix(200) ?? "")")
    }
    #expect(ContinuousClock.now - begun < .seconds(60))
  }

  @Test("a change may have every field with lists at their limits, and commas in its texts")
  func wideChange() throws {
    let list =
      "[" + Array(repeating: #"["a,[{b","c\"c,,"]"#, count: 256).joined(separator: ",") + "]"
    let fields = OfferField.allCases.map { field in
      let value = [.categories, .attributes].contains(field) ? list : #""a,[{b,\"""#
      return "\"\(field.name)\":{\"from\":\(value),\"to\":\(value)}"
    }.joined(separator: ",")
    #expect(try ExportReading.read(Self.changes("{\(fields)}")).count == 4)
    let commas = String(repeating: ",[{", count: 10_000)
    #expect(try ExportReading.read(Self.changes("{\"description\":\"\(commas)\"}")).count == 4)
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
    (more(#""gone_at":"+10000-01-03T00:00:00Z""#), "“gone_at” should be a time like"),
    (more(#""latitude":91"#), "“latitude” should lie between -90 and 90"),
    (more(#""longitude":-180.1"#), "“longitude” should lie between -180 and 180"),
    (more(#""categories":["a",1]"#), "“categories” should be a list of texts"),
    (more(#""attributes":[{"label":"a"}]"#), "“value” is missing"),
    (more(#""reward":{"text":"x"}"#), "“up_to” is missing"),
    (more(#""reward":{"up_to":true}"#), "“text” is missing"),
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
      document(
        "\"feeds\":[\(feed)],\"runs\":[],\"offers\":[],"
          + "\"changes\":[{\"ref\":\"a:1\",\"run\":\(Int64.min),\"kind\":\"new\"}]"),
      "in change 1: “run” is none of the runs above"
    ),
    (
      document(#""feeds":[],"runs":[{"feed":"a"}]"#), "in run 1: “feed” names none of the feeds"
    ),
    (
      document(#""feeds":[],"runs":[],"offers":[],"changes":[],"favorites":[]"#),
      "“favorites” was found where users was expected"
    ),
    (users([#""role":"member","owner":false"#]), "in user 1: “name” is missing"),
    (
      users([#""name":"b\n","role":"member","owner":false"#]),
      "“name” should have 1 to 64 characters"
    ),
    (
      users([#""name":"ben","role":"boss","owner":false"#]),
      "“role” should be viewer, member or admin"
    ),
    (users([#""name":"ben","role":"member""#]), "“owner” is missing"),
    (users([ben, ben.replacing("ben", with: "BEN")]), "in user 2: “name” came before"),
    (
      users(["ana", "ben"].map { "\"name\":\"\($0)\",\"role\":\"admin\",\"owner\":true" }),
      "in user 2: “owner” is true for another user, too"
    ),
    (users([ben + #","password":"x""#]), "“password” is not a member of this object"),
    (
      users([ben + #","read_marks":[{"reader":"mail","run":1,"read_at":"2026-01-01T00:00:00Z"}]"#]),
      "“run” is none of the runs above"
    ),
    (
      users([ben + #","searches":[{"words":"","searched_at":"2026-01-01T00:00:00Z"}]"#]),
      "“words” is empty"
    ),
    (users([ben], "{\(star)}"), "in favorite 1: “user” is missing"),
    (users([ben], "{\"user\":\"eve\",\(star)}"), "“user” names none of the users above"),
    (
      users([ben], "{\"user\":\"ben\",\(star)}").replacing("\"version\":4", with: "\"version\":1"),
      "“users” was found where favorites was expected"
    ),
  ]

  @Test("a user requires a name, a role and whether it is the owner; a favorite names a user")
  func users() throws {
    let records = try ExportReading.read(Self.users([Self.ben], "{\"user\":\"ben\",\(Self.star)}"))
    guard case .user(let user)? = records.first, case .favorite(let favorite)? = records.last else {
      Issue.record("\(records)")
      return
    }
    #expect(user.name == "ben" && user.role == .member && !user.isOwner && user.createdAt == nil)
    #expect(favorite.user == "ben" && favorite.ref.description == "a:1")
  }

  @Test("a document of version 1 has favorites of nobody by name, and no users")
  func firstVersion() throws {
    let old =
      Self.head.replacing("4", with: "1")
      + "\"feeds\":[],\"runs\":[],\"offers\":[],\"changes\":[],\"favorites\":[{\(Self.star)}]}"
    guard case .favorite(let favorite)? = try ExportReading.read(old).first else {
      Issue.record("no favorite")
      return
    }
    #expect(favorite.user == nil && favorite.ref.description == "a:1")
    let named = old.replacing("{\"ref\"", with: "{\"user\":\"ben\",\"ref\"")
    #expect(
      ExportReading.refusal(named)?.message.contains("“user” is not a member of this object")
        == true)
  }

  @Test("an invalid export is refused with the position and the reason", arguments: mistakes)
  func refuses(text: String, reason: String) {
    let error = ExportReading.refusal(text)
    #expect(error?.code == .malformedFeed)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("at byte ") == true)
    #expect(error?.hint?.text.hasPrefix("Nothing was changed.") == true)
  }
}
