import Foundation
import OffersCore
import Testing

@Suite("The image cache", .timeLimit(.minutes(3)))
struct ImageRules {
  @Test("an image is found exactly as it was put", arguments: StoreKind.allCases)
  func finds(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    let image = try ImageHome.image(1, filling: 20_000, etag: "\"a\"")
    try await home.store.putImage(image)
    #expect(try await home.store.findImage(image.url) == image)
    #expect(try await home.store.findImage("https://e.com/no") == nil)
    let contents = try await home.contents()
    #expect(contents.hits == 1 && contents.misses == 1)
    #expect(contents.images.map(\.sizeBytes) == [image.bytes.count])
  }

  @Test("putting a URL again replaces its image", arguments: StoreKind.allCases)
  func replaces(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    try await home.put(1...50)
    let other = try ImageHome.image(99)
    let image = CachedImage(
      url: ImageHome.url(7), bytes: other.bytes, header: other.header, fetchedAt: ImageHome.now,
      freshUntil: ImageHome.now)
    try await home.store.putImage(image)
    #expect(try await home.store.findImage(image.url) == image)
    #expect(try await home.held() == Array(1...50))
  }

  @Test("it never holds more than 50 images", arguments: StoreKind.allCases)
  func isBounded(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    for number in 1...120 {
      try await home.put(number)
      #expect(try await home.order().count == min(number, 50))
    }
    #expect(try await home.contents().evictions == 70)
  }

  @Test(
    "writes, favorites and reads of two processes succeed, and no read finds more than 50 images",
    arguments: StoreKind.allCases)
  func takesTurns(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    let stores = [home.store, try await home.opened.openAgain()]
    try await withThrowingTaskGroup { group in
      for writer in 0..<4 {
        group.addTask {
          let store = stores[writer % 2]
          for number in 0..<30 {
            try await store.putImage(ImageHome.image(writer * 100 + number))
            if number % 10 == 0 { try await store.setFavorites(named: [], to: true) }
            _ = try await store.findImage(ImageHome.url(writer * 100 + number / 2))
          }
        }
      }
      group.addTask {
        for _ in 0..<60 {
          let count = try await stores[0].fetchImageContents(now: Date()).images.count
          #expect(count <= 50)
        }
      }
      try await group.waitForAll()
    }
    for store in stores { try await store.flushImageUses() }
    let contents = try await home.contents()
    #expect(contents.images.count == 50 && contents.evictions == 70)
    #expect(contents.hits + contents.misses == 120)
  }

  @Test("an image that is too large or empty is refused", arguments: StoreKind.allCases)
  func refuses(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    try await home.put(1...2)
    let first = try ImageHome.image(1)
    for (url, bytes, header) in [
      ("", [1], first.header), (first.url, [], first.header),
      (ImageHome.url(3), [UInt8](repeating: 0, count: (5 << 20) + 1), first.header),
      (first.url, [1], ImageHeader(format: .png, width: 7072, height: 7072)),
      (first.url, [1], ImageHeader(format: .png, width: .max, height: .max)),
      (first.url, [1], ImageHeader(format: .png, width: 0, height: 1)),
    ] {
      let image = CachedImage(
        url: url, bytes: bytes, header: header, fetchedAt: ImageHome.now,
        freshUntil: ImageHome.now)
      _ = await refusal { try await home.store.putImage(image) }
    }
    #expect(try await home.held() == [1, 2])
    #expect(try await home.store.findImage(first.url) == first)
  }

  @Test(
    "clearing removes everything and returns the number of images", arguments: StoreKind.allCases)
  func clears(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    try await home.put(1...3)
    #expect(try await home.store.clearImages() == 3)
    #expect(try await home.store.clearImages() == 0)
    #expect(
      try await home.contents()
        == ImageCacheContents(
          limit: ImageCacheLimits.defaultImages, images: [], hits: 0, misses: 0, evictions: 0,
          failures: []))
    try await home.put(4...60)
    #expect(try await home.held() == Array(11...60))
  }

  @Test(
    "confirming updates times and validators, and is not a use", arguments: StoreKind.allCases)
  func confirms(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    func confirm(_ number: Int, etag: String?) async throws {
      try await home.store.confirmImage(
        ImageHome.url(number), etag: etag, lastModified: nil, fetchedAt: ImageHome.now + 5,
        freshUntil: ImageHome.now + 500)
    }
    try await home.put(1...50)
    try await confirm(1, etag: "\"b\"")
    try await confirm(51, etag: nil)
    try await home.put(52)
    #expect(try await home.held() == Array(2...50) + [52])
    try await confirm(2, etag: "\"b\"")
    let image = try await home.store.findImage(ImageHome.url(2))
    #expect(image?.etag == "\"b\"" && image?.freshUntil == ImageHome.now + 500)
  }

  @Test("the least recently used image is evicted first", arguments: StoreKind.allCases)
  func evicts(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    try await home.put(1...50)
    _ = try await home.store.findImage(ImageHome.url(1))
    #expect(try await home.store.touchImage(ImageHome.url(2)))
    #expect(try await !home.store.touchImage("https://e.com/no"))
    _ = try await home.contents()
    try await home.put(51...52)
    #expect(try await home.held() == [1, 2] + Array(5...52))
    #expect(try await home.order().prefix(4) == [52, 51, 2, 1])
  }

  @Test(
    "uses that are still gathered in memory count for the order", arguments: StoreKind.allCases)
  func gathers(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    try await home.put(1...50)
    for number in (1...49).reversed() {
      _ = try await home.store.findImage(ImageHome.url(number))
    }
    #expect(try await home.order() == Array(1...50))
  }

  @Test(
    "another process sees the images, the limit and the flushed uses", arguments: StoreKind.allCases
  )
  func shares(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    let other = try await home.opened.openAgain()
    try await home.put(1...50)
    for number in 1...25 { _ = try await other.findImage(ImageHome.url(number)) }
    try await other.flushImageUses()
    #expect(try await home.contents().hits == 25)
    try await home.put(51...75)
    #expect(try await home.held() == Array(1...25) + Array(51...75))
    #expect(try await other.findImage(ImageHome.url(1)) != nil)
    #expect(try await other.findImage(ImageHome.url(26)) == nil)
    _ = try await home.store.setImageLimit(3)
    _ = try await home.store.clearImages()
    for number in 1...9 { try await other.putImage(ImageHome.image(number)) }
    #expect(try await home.held() == [7, 8, 9])
  }

  @Test("ten thousand gathered uses are written without a flush", arguments: StoreKind.allCases)
  func writesUses(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    let other = try await home.opened.openAgain()
    try await home.put(1...50)
    try await withThrowingTaskGroup { group in
      for number in 1...2 {
        group.addTask {
          for _ in 0..<ImageCacheLimits.gatheredUses / 2 {
            _ = try await home.store.findImage(ImageHome.url(number))
          }
        }
      }
      try await group.waitForAll()
    }
    // They are written in the background.
    while try await other.fetchImageContents(now: ImageHome.now).hits
      < ImageCacheLimits.gatheredUses
    {}
    for number in 51...98 { try await other.putImage(ImageHome.image(number)) }
    #expect(try await home.held() == [1, 2] + Array(51...98))
  }
}
