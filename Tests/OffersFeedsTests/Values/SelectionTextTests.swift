import Foundation
import OffersCore
import OffersFeeds
import Testing

@Suite("The text form of a selection")
struct SelectionTextTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private static func selection(_ text: String) throws -> Selection {
    try SelectionText(parsing: text).selection(at: now, FilterTextParser())
  }

  @Test("has words and all filters, in any order")
  func everything() throws {
    let found = try Self.selection(
      #"coffee reward:>=2 feed:ibotta -pod retailer:"Whole Foods" -category:Beer price:<=20 ending:48h is:favorite"#
    )
    var selection = Selection()
    selection.words = "coffee -pod"
    selection.feeds.wanted = ["ibotta"]
    selection.retailers.wanted = ["Whole Foods"]
    selection.categories.unwanted = ["Beer"]
    selection.rewardMinimum = try ValueBound(parsing: "2", of: .reward)
    selection.priceMaximum = try ValueBound(parsing: "20", of: .price)
    selection.expiring = Self.now...(Self.now + 48 * 3600)
    selection.favoritesOnly = true
    #expect(found == selection)
  }

  @Test(
    "is written as it can be parsed again",
    arguments: [
      ("reward:>=2  coffee", "coffee reward:>=2"), ("reward:≥5% tea", "tea reward:>=5%"),
      ("reward>=2", "reward:>=2"), ("REWARD:<=$9", "reward:<=$9"), ("price:>=1", "price:>=1"),
      (#"retailer:«A "b" C»"#, #"retailer:«A "b" C»"#), ("−feed:c", "-feed:c"),
      (#"retailer:"A B" retailer:C"#, #"retailer:"A B" retailer:C"#),
      ("feed:a feed:b -feed:c", "feed:a feed:b -feed:c"),
      ("is:GONE is:expired", "is:gone is:expired"),
      ("new:today", "new:today"), ("new:7d new:2d", "new:2d"),
      ("near:52.52,13.40,5km", "near:52.52,13.40,5km"), ("sort:-name tea", "tea sort:-name"),
      (#""cold brew" -"iced tea" a OR b"#, #""cold brew" -"iced tea" a OR b"#), ("", ""),
      ("“cold brew” tea", "“cold brew” tea"),
    ])
  func canonical(text: String, written: String) throws {
    let parsed = try SelectionText(parsing: text)
    #expect(parsed.description == written)
    #expect(try SelectionText(parsing: written) == parsed)
  }

  @Test(
    "leaves texts with a colon that are no filters to the words",
    arguments: [
      "12:30", "http://e.example/a", "Mission: Impossible", "Blu-ray:4K", "re:zero",
      #""reward:>=2""#,
      ":", "5\" pipe", "<b>tea", "a<b", "x>=2", "-20%", "- a", "c++", "a:b",
    ])
  func words(text: String) throws {
    #expect(try Self.selection(text).words == SearchWords.spaced(text))
  }

  @Test(
    "refuses a mistake with its place and the nearest right word",
    arguments: [
      ("tea rewrd:>=2", "character 5", "reward:"), ("is:favourite", "character 1", "is:favorite"),
      ("is:gon", "character 1", "is:gone"), ("sort:rewards", "character 1", "reward"),
      ("reward:2", "character 1", "reward:>="), ("-reward:>=2", "character 1", "category:"),
      ("catgory:Tea", "character 1", "category:"), ("price:=3", "character 1", "price:<=3"),
      ("tea reward:", "character 5", "shell"), ("tea feed: a", "character 5", "feed:VALUE"),
      ("tea retailer:\"Whole Foods", "character 5", "Write \" behind the name."),
      ("-category:", "character 1", "-category:VALUE"), ("ends:48h", "character 1", "ending:"),
      ("tea since:7d", "character 5", "new:"), ("payback>=2", "character 1", "reward:"),
      ("tea OR feed:a", "character 5", "two words"),
      ("feed:a OR tea", "character 8", "two words"), ("category:\"\"", "character 1", ""),
    ])
  func mistakes(text: String, place: String, hint: String) throws {
    let error = #expect(throws: OffersError.self) { try SelectionText(parsing: text) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
    let found = error?.hint?.text ?? ""
    #expect(hint.isEmpty || found.contains(hint), "\(found)")
  }

  @Test(
    "refuses a text that is no value of its filter",
    arguments: [
      "reward:>=much", "price:<=5%", "new:soon", "ending:2026-01-01", "near:here", "near:91,0",
      "near:1,2,9999km",
    ])
  func values(text: String) throws {
    let error = #expect(throws: OffersError.self) { try Self.selection(text) }
    #expect(error?.code == .invalidRequest && error?.hint != nil, "\(error?.message ?? "")")
  }

  @Test("relative times count from the time of use")
  func times() throws {
    #expect(try Self.selection("new:7d").newSince == Self.now - 7 * 86_400)
    let today = try #require(try Self.selection("new:today").newSince)
    #expect(today <= Self.now && Self.now.timeIntervalSince(today) < 90_000)
  }

  @Test("words are alternatives, phrases and exclusions")
  func wordForms() throws {
    func parts(_ text: String) throws -> [[[String]]] {
      try SearchWords(text).parts.map { $0.phrases.map(\.words) }
    }
    #expect(try parts("tea OR coffee milk") == [[["tea"], ["coffee"]], [["milk"]]])
    #expect(try parts(#""cold brew""#) == [[["cold", "brew"]]])
    #expect(try parts("OR tea") == [[["or"], ["ortea"]], [["tea"], ["ortea"]]].map { $0 })
    #expect(
      try SearchWords(#"tea -pod -"iced tea""#).unwanted.map(\.words) == [
        ["pod"], ["iced", "tea"],
      ])
    #expect(try SearchWords("tea -20% -5€ -10").unwanted.isEmpty)
    #expect(try SearchWords("tea -7up").unwanted.map(\.words) == [["7", "up"]])
    #expect(try SearchWords("coff -decaf").parts[0].isOpen)
    #expect(try SearchWords(#""tea""#).parts[0].isOpen == false)
    #expect(try SearchWords("tea").parts[0].isOpen)
  }
}
