import Foundation
import OffersCore
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersServer

/// An image source that always returns one image or always fails, and counts its calls.
final class CountedImages: ImageSource {
  let result: Result<CachedImage, OffersError>
  let count = Mutex(0)
  let widths = Mutex<[Int]>([])
  let previewCount = Mutex(0)

  init(_ result: Result<CachedImage, OffersError>) { self.result = result }

  func image(of offer: Offer, feedSource: String?) async throws(OffersError) -> CachedImage {
    count.withLock { $0 += 1 }
    return try result.get()
  }

  func thumbnail(
    of offer: Offer, feedSource: String?, width: Int
  ) async throws(OffersError) -> CachedImage {
    widths.withLock { $0.append(width) }
    return try result.get()
  }

  func previewImage(of offer: Offer, feedSource: String?) async throws(OffersError) -> CachedImage {
    previewCount.withLock { $0 += 1 }
    return try result.get()
  }
}

@Suite("Images over the API")
struct ImageRoutesTests {
  private static func image(_ bytes: [UInt8], freshSeconds: Double = 3600) throws -> CachedImage {
    CachedImage(
      url: "https://x.example/a.html", bytes: bytes, header: try ImageHeader(reading: bytes),
      fetchedAt: Date(), freshUntil: Date() + freshSeconds)
  }

  @Test("an image has the type of its bytes, may be cached for a day, and is loaded once")
  func image() async throws {
    let home = try await ServedHome()
    let bytes = TinyImage.png()
    let images = CountedImages(.success(try Self.image(bytes)))
    let client = try home.client(home.server(images: images))
    for _ in 1...3 {
      let response = try await client.get("images/ibotta:900117")
      #expect(response.status == 200)
      #expect(Array(response.body.readableBytesView) == bytes)
      #expect(response.headers[.contentType] == "image/png")
      #expect(response.headers[.cacheControl] == "private, max-age=86400")
    }
    #expect(images.count.withLock { $0 } == 1)
    let tag = try #require(try await client.send(.head, "images/ibotta:900117").headers[.eTag])
    let known = try await client.get("images/ibotta:900117", headers: [.ifNoneMatch: tag])
    #expect(known.status == 304)
  }

  @Test("an image for a list is a copy that is no wider than its place")
  func thumbnail() async throws {
    let home = try await ServedHome()
    let images = CountedImages(.success(try Self.image(TinyImage.png())))
    let client = try home.client(home.server(images: images))
    for width in [480, 480, 1, 129, 960] {
      let answer = try await client.get("images/ibotta:900117?width=\(width)")
      #expect(answer.status == 200)
      #expect(answer.headers[.cacheControl] == "private, max-age=86400")
      #expect(answer.headers[.eTag] != nil)
    }
    // A remembered answer needs no image.
    #expect(images.widths.withLock { $0 } == [480, 128, 256, 960])
    #expect(images.count.withLock { $0 } == 0)
    for width in ["0", "961", "wide", ""] {
      #expect(try await client.get("images/ibotta:900117?width=\(width)").status == 400)
    }
  }

  @Test("an image that is no longer fresh is loaded for each request")
  func stale() async throws {
    let home = try await ServedHome()
    let images = CountedImages(.success(try Self.image(TinyImage.png(), freshSeconds: -1)))
    let client = try home.client(home.server(images: images))
    for _ in 1...3 {
      #expect(try await client.get("images/ibotta:900117").status == 200)
    }
    #expect(images.count.withLock { $0 } == 3)
  }

  @Test("a failing image server gets 502, and an offer without an image 404")
  func failures() async throws {
    let home = try await ServedHome(feeds: ["facts"])
    let feed = try home.folder.write(
      #"[{"id":"1","name":"Tea"},{"id":"2","name":"Jam","url":"https://x.example/a.png"}]"#,
      to: "f.json")
    try await home.sync(from: feed)
    let images = CountedImages(.failure(OffersError(.notFound, "It is not there.")))
    let client = try home.client(home.server(images: images))
    let none = try await client.get("images/ibotta:1")
    #expect(none.status == 404)
    #expect(none.detail == "ibotta:1 has no image.")
    let lost = try await client.get("images/ibotta:2")
    #expect(lost.status == 502)
    #expect(lost.detail == "It is not there.")
    #expect(try await client.get("images/ibotta:3").status == 404)
  }
}
