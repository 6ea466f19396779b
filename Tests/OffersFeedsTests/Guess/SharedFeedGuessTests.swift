import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersFeeds

/// The folder of collected feeds, which is not part of the package.
private enum SharedFeeds {
  private static var folder: URL? { SharedFiles.folder("field")?.deletingLastPathComponent() }

  static var areThere: Bool { folder != nil }

  /// The decompressed bytes of a file.
  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = try #require(folder)
    let packed = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    return StageRun.decompressing(packed).bytes
  }
}

@Suite("Proposals for real feeds", .enabled(if: SharedFeeds.areThere))
struct SharedFeedGuessTests {
  struct Expectation: CustomTestStringConvertible, Sendable {
    let file: String
    let items: String
    let count: Int
    /// The fields that almost all items have, besides the id and the name.
    let fields: Set<OfferField>
    var offerCount: Int?
    var testDescription: String { file }
  }

  static let files = [
    Expectation(
      file: "field/deals-rss.xml", items: "deals.deal", count: 343,
      fields: [.description, .imageURL, .url, .categories]),
    Expectation(
      file: "field/products.ndjson", items: ".", count: 20,
      fields: [.description, .reward, .imageURL, .categories]),
    Expectation(
      file: "field/products.json.gz", items: ".", count: 997,
      fields: [.reward, .retailer, .categories]),
    Expectation(
      file: "field/edeka-keyed-by-id.json", items: "*", count: 234,
      fields: [.description, .terms, .reward, .imageURL, .categories, .expiresAt]),
    Expectation(
      file: "field/shopify-products.json", items: "products", count: 25,
      fields: [.description, .reward, .imageURL, .url, .retailer, .categories]),
    Expectation(
      file: "field/merchant-rss.xml", items: "rss.channel.item", count: 20,
      fields: [.description, .reward, .imageURL, .url]),
    Expectation(
      file: "field/jsonfeed.json", items: "items", count: 20, fields: [.description, .url]),
    Expectation(
      file: "ibotta/offers.json", items: ".", count: 132,
      fields: [.description, .terms, .reward, .imageURL]),
    Expectation(
      file: "restaurants/restaurants.json", items: "restaurants", count: 15,
      fields: [.imageURL, .categories, .latitude, .longitude]),
    Expectation(
      file: "facts/facts.json", items: "rows", count: 14, fields: [.description], offerCount: 13),
    Expectation(
      file: "movies/superman-page-1.json", items: "results", count: 20,
      fields: [.description, .imageURL]),
    Expectation(
      file: "albums/most-played-100.json", items: "feed.results", count: 100,
      fields: [.imageURL, .url, .categories]),
    Expectation(
      file: "albums/v1-top-100.json", items: "feed.results", count: 100,
      fields: [.imageURL, .url, .categories]),
    Expectation(
      file: "albums/old-top-10.atom.xml", items: "feed.entry", count: 10,
      fields: [.description, .url, .categories]),
  ]

  @Test("every item becomes an offer with a unique id and plausible fields", arguments: files)
  func reads(expected: Expectation) throws {
    let guess = try GuessReading(SharedFeeds.bytes(expected.file))
    #expect(guess.definition.items.first?.descriptionFromRoot == expected.items)
    #expect(guess.proposal.itemCount == expected.count)
    let count = expected.offerCount ?? expected.count
    #expect(guess.offers.count == count)
    #expect(Set(guess.ids).count == count)
    for field in OfferField.allCases where ![.id, .name, .attributes].contains(field) {
      let found = guess.all(field).count { $0 != nil }
      if expected.fields.contains(field) {
        #expect(found * 10 >= count * 9, "\(field.name): \(found) of \(count)")
      } else if guess.definition.title.alternatives.count == 1 {
        #expect(found * 10 < count * 9, "\(field.name) is not expected")
      }
    }
    #expect(try DefinitionFile.parse(guess.yaml, name: "x.yaml") == [guess.definition])
  }
}
