import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Images of several users' favorites")
struct HouseholdImageTests {
  @Test(
    "the rules for favorites hold for those of any user", arguments: ImageRepositoryRule.favorites)
  func keeps(rule: ImageRepositoryRule) async throws {
    #expect(try await rule.violation { try await ImageHome(ofAna: true) } == nil)
  }

  @Test("the favorites of all users want their images, one that several starred once")
  func wanted() async throws {
    let home = try await Household()
    try home.store.execute(
      "UPDATE offer SET image_url = 'https://e.com/' || CASE id WHEN '5' THEN '4' ELSE id END")
    try await home.owners.setFavorites(named: ["1", "2"], to: true)
    try await home.anas.setFavorites(named: ["2", "3", "4"], to: true)
    for record in [home.owners, home.anas] {
      let wanted = try await record.fetchOffersWithWantedImages()
      #expect(wanted.count == 4)
      #expect(Set(wanted.map(\.ref.offerID)) == ["1", "2", "3", "4"])
    }
  }

  @Test("an image that two users starred takes one of the places for favorites")
  func places() async throws {
    let home = try await ImageHome(ofAna: true)
    let bytes = TinyImage.png()
    let header = try ImageHeader(reading: bytes)
    let images = (1...60).map { number in
      CachedImage(
        url: "https://e.com/\(number)", bytes: bytes, header: header,
        fetchedAt: ChangeTests.date(1), freshUntil: ChangeTests.date(2))
    }
    for image in images.prefix(30) { try await home.setFavorite(image.url, to: true) }
    try await home.database.write {
      try $0.execute(
        sql: """
          INSERT INTO favorite (user_key, feed, id, created_at) SELECT 1, feed, id, 0 FROM favorite
          """)
    }
    for image in images { try await home.database.putImage(image) }
    let contents = try await home.database.fetchImageContents(now: ChangeTests.date(3))
    #expect(contents.images.count == 50 && contents.images.count(where: \.isFavorite) == 30)
    let held = Set(contents.images.map(\.url))
    #expect(held == Set((images.prefix(30) + images.suffix(20)).map(\.url)))
  }
}
