import OffersCore
import Testing

@testable import OffersFeeds

@Suite("The feeds that ship")
struct FeedCatalogTests {
  @Test("each is found by its name, and no other name finds one")
  func findsFeeds() {
    for definition in FeedCatalog.all {
      #expect(FeedCatalog.find(definition.name)?.title == definition.title)
    }
    #expect(Set(FeedCatalog.all.map(\.name)).count == FeedCatalog.all.count)
    for name in ["", "Ibotta", "ibotta ", "nosuch"] {
      #expect(FeedCatalog.find(name) == nil)
      #expect(FeedCatalog.findSample(of: name) == nil)
    }
  }

  @Test("the built-in sample reads without a skipped or mended record")
  func readsTheSample() throws {
    let sample = try #require(FeedCatalog.findSample(of: "ibotta"))
    let reading = try FeedReading(sample)
    #expect(reading.error == nil)
    #expect(reading.offers.count >= 60)
    #expect(reading.events.count == reading.offers.count)
    #expect(Set(reading.ids).count == reading.offers.count)
    #expect(try FeedReading(sample, pieceSizes: [1000]) == reading)
  }

  @Test("the sample shows amounts, percentages, up to, and a reward that stays text")
  func showsEveryReward() throws {
    let sample = try #require(FeedCatalog.findSample(of: "ibotta"))
    let parser = RewardParser(dollarCurrency: FeedCatalog.ibotta.dollarCurrency)
    let rewards = try FeedReading(sample).offers.compactMap { $0[.reward] }.map { text in
      Array(text.utf8).withUnsafeBytes { parser.parse($0) }
    }
    #expect(Set(rewards.map(\.kind)) == [0, OfferRecord.amount, OfferRecord.percent])
    #expect(rewards.contains { $0.isUpTo })
  }

  @Test("the number that offers are derived by depends on the dollar's currency")
  func derivesByCurrency() {
    let ibotta = FeedCatalog.ibotta
    let canadian = FeedDefinition(
      name: ibotta.name, title: ibotta.title, itemsPath: ibotta.itemsPath, fields: ibotta.fields,
      dollarCurrency: "CAD")
    #expect(canadian.derivationSeed != ibotta.derivationSeed)
    #expect(FeedDefinition.below("other").derivationSeed == ibotta.derivationSeed)
  }
}
