import Foundation
import OffersCore

/// A repository under test, with the operations that a test performs on it from outside.
package protocol ImageRepositoryHome: Sendable {
  var images: any ImageFetchStore { get async }

  /// Sets or clears the favorite mark of an offer whose image has this URL.
  func setFavorite(_ url: String, to isFavorite: Bool) async throws

  /// Drops the repository as in a crash, and opens it again.
  func crash() async throws

  /// Lets time pass for the leases of a repository that goes by a clock of its own.
  func age(leasesBy seconds: Double) async throws
}

extension ImageRepositoryHome {
  package func age(leasesBy seconds: Double) async throws {}
}

/// A rule that every implementation of `ImageRepository` must keep:
///
/// ```swift
/// @Test(arguments: ImageRepositoryRule.all)
/// func keeps(rule: ImageRepositoryRule) async throws {
///   #expect(try await rule.violation { try await MyHome() } == nil)
/// }
/// ```
public struct ImageRepositoryRule: Sendable, CustomStringConvertible {
  public let description: String
  private let check: @Sendable (Check) async throws -> Void

  /// Describes how a repository violates the rule; nil when it keeps the rule.
  ///
  /// - Parameter make: makes an empty repository.
  package func violation(_ make: () async throws -> any ImageRepositoryHome) async throws -> String?
  {
    do {
      try await check(Check(home: try await make()))
      return nil
    } catch let violation as Violation {
      return violation.text
    }
  }

  private struct Violation: Error {
    let text: String
  }

  /// A repository under test, with helpers for the rules.
  struct Check: Sendable {
    let home: any ImageRepositoryHome
    let now = Date(timeIntervalSince1970: 1_800_000_000)

    var images: any ImageFetchStore { get async { await home.images } }

    func expect(_ isTrue: Bool, _ text: String) throws {
      if !isTrue { throw Violation(text: text) }
    }

    func image(_ number: Int, filling: Int = 10, etag: String? = nil) throws -> CachedImage {
      let bytes = TinyImage.png(
        filling: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: filling))
      return CachedImage(
        url: "https://e.com/\(number).png", bytes: bytes, header: try ImageHeader(reading: bytes),
        etag: etag, lastModified: nil, fetchedAt: now, freshUntil: now + 60)
    }

    func put(_ numbers: some Sequence<Int>) async throws {
      for number in numbers { try await images.putImage(try image(number)) }
    }

    func url(_ number: Int) -> String { "https://e.com/\(number).png" }

    /// The numbers of the cached images, most recently used first.
    func held() async throws -> [Int] {
      try await images.fetchImageContents(now: now).images.compactMap {
        Int($0.url.dropFirst("https://e.com/".count).dropLast(".png".count))
      }
    }

    func expectHeld(_ numbers: some Sequence<Int>) async throws {
      let held = try await held()
      let missing = Set(numbers).subtracting(held).sorted()
      let extra = Set(held).subtracting(numbers).sorted()
      try expect(missing.isEmpty && extra.isEmpty, "missing \(missing), too many \(extra)")
    }
  }

  init(_ description: String, _ check: @escaping @Sendable (Check) async throws -> Void) {
    self.description = description
    self.check = check
  }

  public static let all: [ImageRepositoryRule] =
    holding + order + favorites + limits + memory + thumbnails

  private static let holding: [ImageRepositoryRule] = [
    ImageRepositoryRule("an image is found exactly as it was put") { check in
      let image = try check.image(1, filling: 20_000, etag: "\"a\"")
      try await check.images.putImage(image)
      try check.expect(try await check.images.findImage(image.url) == image, "another one")
      try check.expect(try await check.images.findImage("https://e.com/no") == nil, "made up")
      let contents = try await check.images.fetchImageContents(now: check.now)
      try check.expect((contents.hits, contents.misses) == (1, 1), "hits \(contents.hits)")
      try check.expect(contents.images.first?.sizeBytes == image.bytes.count, "another size")
    },
    ImageRepositoryRule("putting a URL again replaces its image") { check in
      try await check.put(1...50)
      let other = CachedImage(
        url: check.url(7), bytes: try check.image(99).bytes, header: try check.image(99).header,
        fetchedAt: check.now, freshUntil: check.now)
      try await check.images.putImage(other)
      try check.expect(try await check.images.findImage(check.url(7)) == other, "the old one")
      try await check.expectHeld(1...50)
    },
    ImageRepositoryRule("the cache never holds more than 50 images") { check in
      for number in 1...120 {
        try await check.put([number])
        let count = try await check.held().count
        try check.expect(count == min(number, 50), "\(count) after \(number)")
      }
      try check.expect(
        try await check.images.fetchImageContents(now: check.now).evictions == 70, "evictions")
    },
    ImageRepositoryRule("an image that is too large or empty is refused") { check in
      try await check.put(1...2)
      let header = try check.image(1).header
      for (url, bytes, header) in [
        ("", [1], header), (check.url(1), [], header),
        (check.url(3), [UInt8](repeating: 0, count: (5 << 20) + 1), header),
        (check.url(1), [1], ImageHeader(format: .png, width: 7072, height: 7072)),
        (check.url(1), [1], ImageHeader(format: .png, width: .max, height: .max)),
        (check.url(1), [1], ImageHeader(format: .png, width: 0, height: 1)),
      ] {
        let image = CachedImage(
          url: url, bytes: bytes, header: header, fetchedAt: check.now, freshUntil: check.now)
        do {
          try await check.images.putImage(image)
          try check.expect(false, "taken: \(url), \(bytes.count) bytes")
        } catch is OffersError {}
      }
      try await check.expectHeld(1...2)
      let first = try check.image(1)
      try check.expect(try await check.images.findImage(first.url) == first, "changed")
    },
    ImageRepositoryRule("clearing removes everything and returns the number of images") { check in
      try await check.put(1...3)
      try check.expect(try await check.images.clearImages() == 3, "another count")
      try check.expect(try await check.images.clearImages() == 0, "some are left")
      let contents = try await check.images.fetchImageContents(now: check.now)
      try check.expect(
        contents
          == ImageCacheContents(
            limit: 50, images: [], hits: 0, misses: 0, evictions: 0, failures: []),
        "\(contents)")
      try await check.put(4...60)
      try await check.expectHeld(11...60)
    },
    ImageRepositoryRule("confirming updates times and validators, and is not a use") { check in
      try await check.put(1...50)
      try await check.images.confirmImage(
        check.url(1), etag: "\"b\"", lastModified: nil, fetchedAt: check.now + 5,
        freshUntil: check.now + 500)
      try await check.images.confirmImage(
        check.url(51), etag: nil, lastModified: nil, fetchedAt: check.now, freshUntil: check.now)
      try await check.put([52])
      try await check.expectHeld(Array(2...50) + [52])
      try await check.images.confirmImage(
        check.url(2), etag: "\"b\"", lastModified: nil, fetchedAt: check.now + 5,
        freshUntil: check.now + 500)
      let image = try await check.images.findImage(check.url(2))
      try check.expect(image?.etag == "\"b\"", "etag")
      try check.expect(image?.freshUntil == check.now + 500, "time")
    },
  ]

  private static let order: [ImageRepositoryRule] = [
    ImageRepositoryRule("the least recently used image is evicted first") { check in
      try await check.put(1...50)
      _ = try await check.images.findImage(check.url(1))
      try check.expect(try await check.images.touchImage(check.url(2)), "not held")
      try check.expect(try await !check.images.touchImage("https://e.com/no"), "held")
      _ = try await check.images.fetchImageContents(now: check.now)
      try await check.put([51, 52])
      try await check.expectHeld([1, 2] + Array(5...52))
      try check.expect(try await check.held().prefix(4) == [52, 51, 2, 1], "another order")
    },
    ImageRepositoryRule("uses that are still gathered in memory count for eviction") { check in
      try await check.put(1...50)
      for number in (1...49).reversed() { _ = try await check.images.findImage(check.url(number)) }
      try check.expect(try await check.held() == Array(1...50), "another order")
    },
    ImageRepositoryRule("flushed uses and all images survive a crash") { check in
      try await check.put(1...50)
      for number in 1...25 { _ = try await check.images.findImage(check.url(number)) }
      try await check.images.flushImageUses()
      try await check.home.crash()
      try await check.expectHeld(1...50)
      try await check.put(51...75)
      try await check.expectHeld(Array(1...25) + Array(51...75))
      try check.expect(
        try await check.images.fetchImageContents(now: check.now).hits == 25, "hits")
    },
    ImageRepositoryRule("ten thousand gathered uses are written without a flush") { check in
      try await check.put(1...50)
      try await withThrowingTaskGroup { group in
        for number in 1...2 {
          group.addTask {
            for _ in 0..<ImageBounds.gatheredUses / 2 {
              _ = try await check.images.findImage(check.url(number))
            }
          }
        }
        try await group.waitForAll()
      }
      // Any later write, such as this one, also writes the gathered uses.
      try await check.images.putFailure(
        ImageFailure(url: "x", code: .notFound, reason: "x", until: check.now))
      try await check.home.crash()
      try await check.put(51...98)
      try await check.expectHeld([1, 2] + Array(51...98))
    },
  ]

  /// The rules about the images of favorites.
  public static let favorites: [ImageRepositoryRule] = [
    ImageRepositoryRule("the images of up to 30 favorites are not evicted") { check in
      for number in 1...30 { try await check.home.setFavorite(check.url(number), to: true) }
      try await check.put(1...200)
      try await check.expectHeld(Array(1...30) + Array(181...200))
      let contents = try await check.images.fetchImageContents(now: check.now)
      try check.expect(contents.images.count(where: \.isFavorite) == 30, "marks")
    },
    ImageRepositoryRule("20 places remain for browsing, with any number of favorites") {
      check in
      for number in 1...60 { try await check.home.setFavorite(check.url(number), to: true) }
      try await check.put(1...60)
      try await check.expectHeld(11...60)
      try await check.put(101...120)
      try await check.expectHeld(Array(31...60) + Array(101...120))
      // Of the images of favorites, the most recently used ones stay.
      try await check.put([1])
      try await check.put(121...140)
      try await check.expectHeld([1] + Array(32...60) + Array(121...140))
    },
    ImageRepositoryRule("an image of a former favorite is evicted like others") { check in
      for number in 1...2 { try await check.home.setFavorite(check.url(number), to: true) }
      try await check.put(1...50)
      try await check.home.setFavorite(check.url(1), to: false)
      try await check.put([51, 52])
      try await check.expectHeld([2] + Array(4...52))
    },
  ]

  private static let limits: [ImageRepositoryRule] = [
    ImageRepositoryRule("a lower limit evicts the least recently used images at once") { check in
      try await check.put(1...50)
      _ = try await check.images.findImage(check.url(1))
      try check.expect(try await check.images.setImageLimit(10) == 40, "another number")
      try await check.expectHeld([1] + Array(42...50))
      let contents = try await check.images.fetchImageContents(now: check.now)
      try check.expect((contents.limit, contents.evictions) == (10, 40), "\(contents)")
      try await check.put(51...60)
      try await check.expectHeld(51...60)
    },
    ImageRepositoryRule("a higher limit evicts nothing and makes room") { check in
      try await check.put(1...50)
      try check.expect(try await check.images.setImageLimit(75) == 0, "evicted")
      try await check.put(51...90)
      try await check.expectHeld(16...90)
      try check.expect(try await check.images.setImageLimit(75) == 0, "not the same")
      try await check.expectHeld(16...90)
    },
    ImageRepositoryRule("the limit survives a crash and the removal of all images") { check in
      _ = try await check.images.setImageLimit(3)
      _ = try await check.images.clearImages()
      try await check.home.crash()
      try await check.put(1...9)
      try await check.expectHeld(7...9)
    },
    ImageRepositoryRule("three fifths of the limit are for favorites") { check in
      for number in 1...20 { try await check.home.setFavorite(check.url(number), to: true) }
      try await check.put(1...40)
      _ = try await check.images.setImageLimit(10)
      try await check.expectHeld(Array(15...20) + Array(37...40))
      try await check.put(41...60)
      try await check.expectHeld(Array(15...20) + Array(57...60))
      _ = try await check.images.setImageLimit(1)
      try await check.expectHeld([60])
    },
    ImageRepositoryRule("a limit out of bounds is refused and changes nothing") { check in
      try await check.put(1...2)
      for limit in [Int.min, -1, 0, 10_001, .max] {
        do {
          _ = try await check.images.setImageLimit(limit)
          try check.expect(false, "taken: \(limit)")
        } catch let error as OffersError {
          try check.expect(error.code == .invalidRequest, "\(error)")
        }
      }
      let limit = try await check.images.fetchImageContents(now: check.now).limit
      try check.expect(limit == 50, "\(limit)")
      try await check.expectHeld(1...2)
    },
    ImageRepositoryRule("the highest limit is 10,000 images, and can be lowered to 1") { check in
      _ = try await check.images.setImageLimit(10_000)
      try await check.put(1...60)
      try await check.expectHeld(1...60)
      try check.expect(try await check.images.setImageLimit(1) == 59, "another number")
      try await check.expectHeld([60])
    },
  ]

  private static let memory: [ImageRepositoryRule] = [
    ImageRepositoryRule("a failure is remembered until it expires or an image is put") {
      check in
      let failure = ImageFailure(
        url: check.url(1), code: .notFound, reason: "answered 404", until: check.now + 600)
      try await check.images.putFailure(failure)
      try check.expect(
        try await check.images.findFailure(of: check.url(1), now: check.now + 599) == failure,
        "lost")
      try check.expect(
        try await check.images.findFailure(of: check.url(1), now: check.now + 600) == nil, "kept")
      try await check.put([1])
      try check.expect(
        try await check.images.findFailure(of: check.url(1), now: check.now) == nil, "kept")
    },
    ImageRepositoryRule("failures that expire soon are forgotten at once, others are kept") {
      check in
      for (number, seconds) in [(1, 600.0), (2, 601)] {
        try await check.images.putFailure(
          ImageFailure(
            url: check.url(number), code: .notFound, reason: "x", until: check.now + seconds))
      }
      try await check.images.forgetFailures(until: check.now + 600)
      let failures = try await check.images.fetchImageContents(now: check.now).failures
      try check.expect(failures.map(\.url) == [check.url(2)], "\(failures.count)")
    },
    ImageRepositoryRule("a bounded number of failures is remembered") { check in
      for number in 0..<500 {
        try await check.images.putFailure(
          ImageFailure(
            url: check.url(number), code: .notFound, reason: "x",
            until: check.now + Double(number + 1)))
      }
      let failures = try await check.images.fetchImageContents(now: check.now).failures
      try check.expect((50...200).contains(failures.count), "\(failures.count)")
      try check.expect(failures.first?.url == check.url(499), "the newest is lost")
    },
    ImageRepositoryRule("a lease has one holder, until it is released or expires") { check in
      func take(_ holder: Int64, after seconds: Double = 0) async throws -> Bool {
        try await check.images.takeLease(
          on: check.url(1), holder: holder, seconds: 10, now: check.now + seconds)
      }
      try check.expect(try await take(1), "not taken")
      try await check.home.age(leasesBy: 9)
      try check.expect(try await !take(2, after: 9), "taken twice")
      try check.expect(try await take(1, after: 9), "not the holder's")
      try await check.home.age(leasesBy: 11)
      try check.expect(try await take(2, after: 20), "did not run out")
      try await check.images.endLease(on: check.url(1), holder: 1)
      try check.expect(try await !take(1, after: 20), "another's was ended")
      try await check.put([1])
      try check.expect(try await take(3, after: 20), "not ended by an image")
    },
  ]
}
