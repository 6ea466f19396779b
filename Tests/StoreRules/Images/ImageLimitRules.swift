import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("The limit of the image cache, and the images of favorites")
struct ImageLimitRules {
  @Test(
    "a lower limit evicts the least recently used images at once", arguments: StoreKind.allCases)
  func lower(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    try await home.put(1...50)
    _ = try await home.store.findImage(ImageHome.url(1))
    #expect(try await home.store.setImageLimit(10) == 40)
    #expect(try await home.held() == [1] + Array(42...50))
    let contents = try await home.contents()
    #expect(contents.limit == 10 && contents.evictions == 40)
    try await home.put(51...60)
    #expect(try await home.held() == Array(51...60))
  }

  @Test("a higher limit evicts nothing and makes room", arguments: StoreKind.allCases)
  func higher(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    try await home.put(1...50)
    #expect(try await home.store.setImageLimit(75) == 0)
    try await home.put(51...90)
    #expect(try await home.held() == Array(16...90))
    #expect(try await home.store.setImageLimit(75) == 0)
    #expect(try await home.held() == Array(16...90))
  }

  @Test(
    "the highest limit is 10,000 images, and can be lowered to 1", arguments: StoreKind.allCases)
  func bounds(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    _ = try await home.store.setImageLimit(10_000)
    try await home.put(1...60)
    #expect(try await home.held() == Array(1...60))
    for limit in [Int.min, -1, 0, 10_001, .max] {
      let error = await refusal { _ = try await home.store.setImageLimit(limit) }
      #expect(error?.code == .invalidRequest)
    }
    #expect(try await home.contents().limit == 10_000)
    #expect(try await home.held() == Array(1...60))
    #expect(try await home.store.setImageLimit(1) == 59)
    #expect(try await home.held() == [60])
  }

  /// A cache, and the owner or another user as the one who has favorites.
  private static func home(
    _ kind: StoreKind, ofOwner: Bool
  ) async throws -> (ImageHome, OffersDatabase) {
    let home = try await ImageHome(kind)
    if ofOwner { return (home, home.store) }
    let ana = try await home.store.addUser(named: "Ana", role: .viewer)
    return (home, home.store.bound(to: ana))
  }

  @Test(
    "the images of up to 30 favorites of any user are not evicted",
    arguments: StoreKind.allCases, [true, false])
  func favorites(kind: StoreKind, ofOwner: Bool) async throws {
    let (home, record) = try await Self.home(kind, ofOwner: ofOwner)
    try await home.star(1...30, of: record)
    // An image that two users starred takes one of the places.
    try await home.store.setFavorites(named: (1...20).map(String.init), to: true)
    try await home.put(1...200)
    #expect(try await home.held() == Array(1...30) + Array(181...200))
    #expect(try await home.contents().images.count(where: \.isFavorite) == 30)
  }

  @Test(
    "20 places remain for browsing, with any number of favorites",
    arguments: StoreKind.allCases, [true, false])
  func browsing(kind: StoreKind, ofOwner: Bool) async throws {
    let (home, record) = try await Self.home(kind, ofOwner: ofOwner)
    try await home.star(1...60, of: record)
    try await home.put(1...60)
    #expect(try await home.held() == Array(11...60))
    try await home.put(101...120)
    #expect(try await home.held() == Array(31...60) + Array(101...120))
    // Of the images of favorites, the most recently used ones stay.
    try await home.put(1)
    try await home.put(121...140)
    #expect(try await home.held() == [1] + Array(32...60) + Array(121...140))
  }

  @Test(
    "an image of a former favorite is evicted like others",
    arguments: StoreKind.allCases, [true, false])
  func former(kind: StoreKind, ofOwner: Bool) async throws {
    let (home, record) = try await Self.home(kind, ofOwner: ofOwner)
    try await home.star(1...2, of: record)
    try await home.put(1...50)
    try await record.setFavorites(named: ["1"], to: false)
    try await home.put(51...52)
    #expect(try await home.held() == [2] + Array(4...52))
  }

  @Test("three fifths of the limit are for favorites", arguments: StoreKind.allCases)
  func share(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    try await home.star(1...20, of: home.store)
    try await home.put(1...40)
    _ = try await home.store.setImageLimit(10)
    #expect(try await home.held() == Array(15...20) + Array(37...40))
    try await home.put(41...60)
    #expect(try await home.held() == Array(15...20) + Array(57...60))
    _ = try await home.store.setImageLimit(1)
    #expect(try await home.held() == [60])
  }

  @Test(
    "the favorites of all users want their images, one that several starred once",
    arguments: StoreKind.allCases)
  func wanted(kind: StoreKind) async throws {
    let home = try await Household(
      kind, (1...5).map { FeedOffer("\($0)", more: [.imageURL: ImageHome.url(min($0, 4))]) })
    try await home.owners.setFavorites(named: ["1", "2"], to: true)
    try await home.anas.setFavorites(named: ["2", "3", "4"], to: true)
    for record in [home.owners, home.anas] {
      let wanted = try await record.fetchOffersWithWantedImages()
      #expect(wanted.map(\.ref.offerID).sorted() == ["1", "2", "3", "4"])
    }
  }
}
