import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Shipped feeds")
struct FeedCatalogTests {
  @Test("each feed is found by its name, and other names find none")
  func findsFeeds() throws {
    for name in FeedCatalog.names {
      #expect(try FeedCatalog.find(name)?.name == name)
      #expect(FeedCatalog.findSample(of: name) != nil)
    }
    for name in ["", "Ibotta", "ibotta ", "nosuch"] {
      #expect(try FeedCatalog.find(name) == nil)
      #expect(FeedCatalog.findSample(of: name) == nil)
    }
    #expect(try FeedCatalog.find("ibotta") == FeedDefinition.ibotta)
  }

  @Test("to show offers, only the user's own definitions and those that no store knows are parsed")
  func shownFeeds() throws {
    let yaml = """
      feeds:
        tea:
          items: teas
          id: id
          fields: {name: name}
        movies:
          items: movies
          id: id
          fields: {name: name}
      """
    let configuration = try FeedConfiguration(yaml: yaml, name: "feeds.yaml")
    let stored: Set = ["tea", "movies", "ibotta", "facts"]
    func names(_ stored: Set<String>, _ feed: String? = nil) throws -> [String] {
      try configuration.shownFeeds(besides: stored, of: feed).map(\.name)
    }
    #expect(try names(stored) == ["albums", "movies", "restaurants", "tea"])
    #expect(try names(stored, "ibotta") == [])
    #expect(try names([], "ibotta") == ["ibotta"])
    #expect(try names(stored, "movies") == ["movies"])
    #expect(try names(stored, "nosuch") == [])
    #expect(try configuration.shownFeeds(besides: [], of: "movies").first?.position == 1)
    #expect(try configuration.shownFeeds(besides: []) == configuration.knownFeeds())
  }

  @Test("each sample can be read with its definition", arguments: FeedCatalog.names)
  func readsEachSample(name: String) throws {
    let definition = try #require(try FeedCatalog.find(name))
    let reading = try FeedReading(
      try #require(FeedCatalog.findSample(of: name)), as: definition)
    #expect(reading.error == nil)
    #expect(reading.offers.count >= 15)
    #expect(reading.mends == [])
    #expect(Set(reading.ids).count == reading.offers.count)
  }

  @Test("every picture of a sample comes from the program, and all of them are small")
  func hasPictures() throws {
    var pictures: [String: Int] = [:]
    for name in FeedCatalog.names {
      let reading = try FeedReading(
        try #require(FeedCatalog.findSample(of: name)),
        as: try #require(try FeedCatalog.find(name)))
      let addresses = reading.offers.compactMap { $0[.imageURL] }
      #expect(addresses.count >= 12)
      for address in addresses {
        let picture = try #require(FeedCatalog.findPicture(at: address), "\(address)")
        #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        pictures["\(address.split(separator: "/").first { $0.hasPrefix("sample-") } ?? "")"] =
          picture.count
      }
    }
    #expect(pictures.count > 30)
    #expect(pictures.values.reduce(0, +) < 100_000)
    for address in [
      "https://images.example.com/offers/1.png", "https://images.example.com/sample-none/1.png",
      "http://images.example.com/sample-jar/1.png", "https://a.example/sample-jar/1.png",
      "https://images.example.com/sample-../jar.png", "sample-jar", "",
    ] {
      #expect(FeedCatalog.findPicture(at: address) == nil, "\(address)")
    }
  }

  @Test("the built-in sample has no skipped or repaired record")
  func readsTheSample() throws {
    let sample = try #require(FeedCatalog.findSample(of: "ibotta"))
    let reading = try FeedReading(sample)
    #expect(reading.error == nil)
    #expect(reading.offers.count >= 60)
    #expect(reading.events.count == reading.offers.count)
    #expect(Set(reading.ids).count == reading.offers.count)
    #expect(try FeedReading(sample, pieceSizes: [1000]) == reading)
  }

  @Test("the sample has amounts, percentages, up-to rewards and rewards without a value")
  func showsEveryReward() throws {
    let sample = try #require(FeedCatalog.findSample(of: "ibotta"))
    let parser = RewardParser(feedCurrency: FeedDefinition.ibotta.currency)
    let rewards = try FeedReading(sample).offers.compactMap { $0[.reward] }.map { text in
      Array(text.utf8).withUnsafeBytes { parser.parse($0) }
    }
    #expect(Set(rewards.map(\.kind)) == [0, ExactReward.amount, ExactReward.percent])
    #expect(rewards.contains { $0.isUpTo })
  }

  @Test("the derivation seed depends on the rules, not on the source")
  func derivesByRules() {
    let ibotta = FeedDefinition.ibotta
    var other = ibotta
    other.currency = "CAD"
    #expect(other.derivationSeed != ibotta.derivationSeed)
    other = ibotta
    other.fields[.terms] = nil
    #expect(other.derivationSeed != ibotta.derivationSeed)
    other = ibotta
    other.source = Template([.literal("https://example.com")])
    other.everySeconds = 60
    #expect(other.derivationSeed == ibotta.derivationSeed)
  }
}
