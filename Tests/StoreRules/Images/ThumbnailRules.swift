import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("Copies of images for lists")
struct ThumbnailRules {
  private static let contents: [StoredThumbnail.Content] = [
    .copy(TinyImage.png()), .problem("It is damaged."),
  ]

  @Test(
    "a copy is found with the times of its image, and is evicted with it",
    arguments: StoreKind.allCases)
  func finds(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    let image = try ImageHome.image(1, filling: 20_000)
    let copy = TinyImage.png(filling: [9])
    #expect(try await home.store.findThumbnail(of: image.url) == nil)
    try await home.store.putThumbnail(.copy(copy), of: image)
    try await home.store.putImage(image)
    #expect(try await home.store.findThumbnail(of: image.url) == nil)
    try await home.store.putThumbnail(.copy(copy), of: image)
    #expect(
      try await home.store.findThumbnail(of: image.url)
        == StoredThumbnail(
          content: .copy(copy), imageBytes: image.bytes.count, imageWidth: image.header.width,
          fetchedAt: image.fetchedAt, freshUntil: image.freshUntil))
    #expect(try await home.store.findImage(image.url) == image)
    try await home.put(2...51)
    try await home.put(1)
    #expect(try await home.store.findThumbnail(of: image.url) == nil)
  }

  @Test(
    "another image of the same address has no copy, and none of the old one is stored",
    arguments: StoreKind.allCases, contents)
  func forgets(kind: StoreKind, content: StoredThumbnail.Content) async throws {
    let home = try await ImageHome(kind)
    let image = try ImageHome.image(1)
    try await home.store.putImage(image)
    try await home.store.putThumbnail(content, of: image)
    #expect(try await home.store.findThumbnail(of: image.url)?.content == content)
    try await home.store.putImage(ImageHome.image(1, filling: 50))
    #expect(try await home.store.findThumbnail(of: image.url) == nil)
    try await home.store.putThumbnail(content, of: image)
    #expect(try await home.store.findThumbnail(of: image.url) == nil)
  }

  @Test(
    "a confirmed image keeps its copy, and the reason if there is none",
    arguments: StoreKind.allCases, contents)
  func confirms(kind: StoreKind, content: StoredThumbnail.Content) async throws {
    let home = try await ImageHome(kind)
    let image = try ImageHome.image(1)
    try await home.store.putImage(image)
    try await home.store.putThumbnail(content, of: image)
    try await home.store.confirmImage(
      image.url, etag: nil, lastModified: nil, fetchedAt: ImageHome.now + 5,
      freshUntil: ImageHome.now + 500)
    let found = try await home.store.findThumbnail(of: image.url)
    #expect(found?.content == content && found?.freshUntil == ImageHome.now + 500)
  }

  @Test("a copy that is too large or empty is refused", arguments: StoreKind.allCases)
  func refuses(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    let image = try ImageHome.image(1)
    try await home.store.putImage(image)
    for content: StoredThumbnail.Content in [
      .copy([]), .problem(""),
      .copy([UInt8](repeating: 0, count: ImageCacheLimits.thumbnailBytes + 1)),
    ] {
      _ = await refusal { try await home.store.putThumbnail(content, of: image) }
    }
    #expect(try await home.store.findThumbnail(of: image.url) == nil)
  }

  @Test(
    "the colors of a picture are those of its image, until another has its address",
    arguments: StoreKind.allCases)
  func colors(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    let image = try ImageHome.image(1)
    let offer = Offer(
      ref: OfferRef(feed: "ibotta", offerID: "1"), name: "Tea", imageURL: URL(string: image.url),
      firstSeenAt: ImageHome.now, changedAt: ImageHome.now)
    let colors = PictureColors(storedText: "ff0000 00ff00 0000ff")
    try await home.store.putImage(image)
    #expect(try await home.store.fetchPictureColors(of: [offer]) == [:])
    try await home.store.putThumbnail(.problem("It is small."), colors: colors, of: image)
    try await home.store.putThumbnail(.copy(TinyImage.png()), of: image)
    #expect(try await home.store.fetchPictureColors(of: [offer]) == [image.url: colors])
    try await home.store.putImage(image)
    #expect(try await home.store.fetchPictureColors(of: [offer]) == [image.url: colors])
    try await home.store.putImage(ImageHome.image(1, filling: 50))
    #expect(try await home.store.fetchPictureColors(of: [offer]) == [:])
  }

  @Test("the use of a copy is a use of its image", arguments: StoreKind.allCases)
  func uses(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    try await home.put(1...50)
    try await home.store.putThumbnail(.copy(TinyImage.png()), of: ImageHome.image(1))
    _ = try await home.store.findThumbnail(of: ImageHome.url(1))
    try await home.put(51)
    #expect(try await home.held() == [1] + Array(3...51))
    #expect(try await home.contents().hits == 1)
  }
}
