import Foundation
import OffersCore
import OffersStore
import OffersTestSupport

/// A store as a cache of images, each with a number.
struct ImageHome: Sendable {
  static let now = Date(timeIntervalSince1970: 1_800_000_000)

  let opened: OpenStore
  var store: OffersDatabase { opened.store }

  init(_ kind: StoreKind) async throws { opened = try await kind.open() }

  static func url(_ number: Int) -> String { "https://e.com/\(number).png" }

  static func image(_ number: Int, filling: Int = 10, etag: String? = nil) throws -> CachedImage {
    let bytes = TinyImage.png(
      filling: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: filling))
    return CachedImage(
      url: url(number), bytes: bytes, header: try ImageHeader(reading: bytes), etag: etag,
      lastModified: nil, fetchedAt: now, freshUntil: now + 60)
  }

  func put(_ numbers: Int...) async throws {
    for number in numbers { try await store.putImage(Self.image(number)) }
  }

  func put(_ numbers: ClosedRange<Int>) async throws {
    for number in numbers { try await put(number) }
  }

  /// Stores offers with these images and makes them favorites of a user.
  func star(_ numbers: ClosedRange<Int>, of record: OffersDatabase) async throws {
    try await store.sync(
      numbers.map { FeedOffer("\($0)", more: [.imageURL: Self.url($0)]) })
    try await record.setFavorites(named: numbers.map(String.init), to: true)
  }

  /// The images in the cache, its limit, and its counts of hits, misses and evictions.
  func contents() async throws -> ImageCacheContents {
    try await store.fetchImageContents(now: Self.now)
  }

  /// The numbers of the cached images, most recently used first.
  func order() async throws -> [Int] {
    try await contents().images.compactMap {
      Int($0.url.dropFirst("https://e.com/".count).dropLast(".png".count))
    }
  }

  /// The numbers of the cached images, sorted.
  func held() async throws -> [Int] { try await order().sorted() }
}
