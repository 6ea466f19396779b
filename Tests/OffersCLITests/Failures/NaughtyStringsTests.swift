import OffersCore
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("Texts that often break programs")
struct NaughtyStringsTests {
  private static let texts = NaughtyStrings.all

  private static func offers(
    in home: Home, _ query: OfferQuery = OfferQuery()
  ) async throws -> [UserOffer] {
    var pages = try await home.store.open(.readOnly).pages(
      of: query)
    var all: [UserOffer] = []
    while true {
      let page = try await pages.next()
      if page.isEmpty { return all }
      all += page
    }
  }

  /// Creates a home with an offer for each text, which is its id and part of its name. A text that
  /// is no valid id gives no offer.
  private static func home() async throws -> (Home, [FeedItem]) {
    let items = texts.map { FeedItem($0, "\($0) offer", description: $0, terms: $0) }
    return (try await Home(synced: items), items)
  }

  private static func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x0A, 0x0D: true
      case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: false
      default: true
      }
    }
  }

  @Test("there are at least 500 texts")
  func count() { #expect(Self.texts.count >= 500) }

  @Test("any text within the limits can be searched for, and finds the offers that contain it")
  func search() async throws {
    let (home, _) = try await Self.home()
    let database = try await home.store.open(.readOnly)
    for text in Self.texts {
      let results: SearchResults
      do {
        results = try await database.search(SearchQuery(text, limit: 1000))
      } catch {
        guard error.message.hasPrefix("A search has at most ") else { throw error }
        // More than 50 words take at least 100 characters.
        #expect(text.unicodeScalars.count >= 100)
        continue
      }
      let hasWord = text.unicodeScalars.contains { $0.properties.isAlphabetic && $0.value < 0x80 }
      // An unwanted word leaves out the offer that has it.
      if hasWord, results.correctedWords == nil, try SearchWords(text).unwanted.isEmpty {
        #expect(!results.hits.isEmpty, "\(text.debugDescription)")
      }
    }
  }

  @Test("any text is stored unchanged as an id, and finds exactly its offer")
  func ids() async throws {
    let (home, _) = try await Self.home()
    let database = try await home.store.open(.readOnly)
    var found = 0
    for offer in try await Self.offers(in: home) {
      #expect(try await database.fetchOffer(named: "ibotta:\(offer.ref.offerID)").ref == offer.ref)
      found += 1
    }
    // Texts of nothing but white space are no ids.
    #expect(found > Self.texts.count - 20)
    for text in Self.texts {
      // The text names an offer, or the error says that there is none.
      do {
        _ = try await database.fetchOffer(named: text)
      } catch {
        #expect(error.code == .notFound)
      }
    }
  }

  @Test("a text is refused as the name of a feed unless it has the form of one")
  func feeds() async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    for text in Self.texts where text != "ibotta" {
      let isName = (try? FeedName.check(text)) != nil
      #expect(isName == (text.wholeMatch(of: /[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?/) != nil))
      await #expect(throws: OffersError.self) {
        try await Self.offers(in: home, OfferQuery(feed: text))
      }
    }
  }

  @Test("any text is accepted as an argument on the command line")
  func commandLine() async throws {
    let (home, _) = try await Self.home()
    var random = SeededGenerator(number: 31)
    let some = Self.texts.shuffled(using: &random).prefix(TestSize.scaled(Self.texts.count))
    for text in some where !text.contains("\0") {
      for command in [["search", "--", text], ["show", "--", text], ["list", "--feed=\(text)"]] {
        let result = try await home.call(command)
        #expect([0, 64, 66].contains(result.status), "\(command): \(result.errors)")
        #expect(Self.isPlain(result.output) && Self.isPlain(result.errors), "\(command)")
      }
    }
  }
}
