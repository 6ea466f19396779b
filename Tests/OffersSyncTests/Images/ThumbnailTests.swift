import Foundation
import OffersCore
import OffersSQLite
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersSync

private let colors = PictureColors(rgb: [255, 0, 0, 0, 255, 0, 0, 0, 255])

/// A scaler that makes copies of the width that is asked for, and counts its calls.
private final class WideScaler: ImageScaler {
  private let calls = Mutex(0)

  var count: Int { calls.withLock { $0 } }

  func copy(of image: CachedImage, width: Int) async throws -> ScaledImage? {
    calls.withLock { $0 += 1 }
    return ScaledImage(
      bytes: TinyImage.png(width: min(width, image.header.width)), colors: colors)
  }
}

/// A scaler that returns one result, and counts its calls.
private final class CountedScaler: ImageScaler {
  private let result: Result<[UInt8]?, OffersError>
  private let calls = Mutex(0)

  init(_ result: Result<[UInt8]?, OffersError>) { self.result = result }

  var count: Int { calls.withLock { $0 } }

  func copy(of image: CachedImage, width: Int) async throws -> ScaledImage? {
    calls.withLock { $0 += 1 }
    return try result.get().map { ScaledImage(bytes: $0, colors: colors) }
  }
}

/// A scaler that waits before a door.
private final class HeldScaler: ImageScaler {
  private let door: Door
  private let bytes: [UInt8]

  init(_ door: Door, copy: [UInt8]) {
    self.door = door
    bytes = copy
  }

  func copy(of image: CachedImage, width: Int) async throws -> ScaledImage? {
    await door.pass()
    return ScaledImage(bytes: bytes, colors: colors)
  }
}

@Suite("Images for lists")
struct ThumbnailTests {
  private static let offer = Offer(
    ref: OfferRef(feed: "ibotta", offerID: "1"), name: "Tea",
    imageURL: URL(string: "https://e.com/1.png"), firstSeenAt: Date(timeIntervalSince1970: 0),
    changedAt: Date(timeIntervalSince1970: 0))
  private static let copy = TinyImage.png(filling: [7])
  private static let wide = TinyImage.png(width: 4000, filling: [UInt8](repeating: 1, count: 900))
  /// Too large for a list without a copy.
  private static let huge = TinyImage.png(
    width: 4000, filling: [UInt8](repeating: 1, count: ImageCacheLimits.thumbnailBytes))

  private let home: FetchHome

  init() async throws { home = try await FetchHome() }

  private func answer(_ bytes: [UInt8], _ status: Int = 200) {
    home.web.answer { _ in
      var answer = SimulatedAnswer(status, [("ETag", "\"a\"")])
      answer.bytes = bytes
      return answer
    }
  }

  private func loader(_ scaler: (any ImageScaler)?) -> ImageLoader {
    ImageLoader(
      images: home.database, transport: .shared(home.web), allowsPrivateNetwork: false,
      scaler: scaler, logger: .silent
    ) { home.now }
  }

  private func thumbnail(_ loader: ImageLoader, width: Int = 480) async throws -> [UInt8] {
    try await loader.thumbnail(of: Self.offer, feedSource: nil, width: width).bytes
  }

  @Test("a list gets a copy of the width that it draws, and a wider one serves smaller places, too")
  func widths() async throws {
    answer(TinyImage.png(width: 600, filling: [UInt8](repeating: 1, count: 900)))
    let scaler = WideScaler()
    let loader = loader(scaler)
    func width(_ asked: Int) async throws -> Int {
      try ImageHeader(reading: try await thumbnail(loader, width: asked)).width
    }
    #expect(try await width(128) == 128)
    #expect(try await width(480) == 480)
    #expect(try await width(128) == 480)
    #expect(scaler.count == 2)
    // No copy is wider than its image, which is small enough for a list.
    for _ in 1...2 { #expect(try await width(960) == 600) }
    #expect(scaler.count == 2)
    #expect(home.web.requests.count == 1)
  }

  @Test("the colors of a picture are known once it has a copy")
  func colorsOfCopies() async throws {
    answer(Self.wide)
    #expect(try await home.database.fetchPictureColors(of: [Self.offer]) == [:])
    _ = try await thumbnail(loader(CountedScaler(.success(Self.copy))))
    let known = try await home.database.fetchPictureColors(of: [Self.offer])
    #expect(known == ["https://e.com/1.png": colors])
    #expect(colors.storedText == "ff0000 00ff00 0000ff")
    answer(Self.huge)
    home.wait(hours: 25)
    _ = try await loader(nil).image(of: Self.offer, feedSource: nil)
    #expect(try await home.database.fetchPictureColors(of: [Self.offer]) == [:])
  }

  @Test("a wide image is copied once for all who ask at once, and for later ones from the store")
  func once() async throws {
    answer(Self.wide)
    let scaler = CountedScaler(.success(Self.copy))
    let loader = loader(scaler)
    try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 1...8 { group.addTask { try await thumbnail(loader) } }
      for try await bytes in group { #expect(bytes == Self.copy) }
    }
    #expect(try await thumbnail(self.loader(scaler)) == Self.copy)
    #expect(scaler.count == 1)
    #expect(home.web.requests.count == 1)
    // The image itself is as its server sent it.
    #expect(try await loader.image(of: Self.offer, feedSource: nil).bytes == Self.wide)
  }

  @Test("a small image is returned as it is")
  func small() async throws {
    answer(Self.copy)
    let scaler = CountedScaler(.success(TinyImage.png()))
    #expect(try await thumbnail(loader(scaler)) == Self.copy)
    #expect(scaler.count == 0)
  }

  @Test("an image that cannot be copied is tried once, and shown in lists only if it has few bytes")
  func failing() async throws {
    for (bytes, isShown) in [(Self.wide, true), (Self.huge, false)] {
      answer(bytes)
      _ = try await home.database.clearImages()
      let scaler = CountedScaler(.failure(OffersError(.malformedImage, "It is damaged.")))
      for _ in 1...3 {
        if isShown {
          #expect(try await thumbnail(loader(scaler)) == bytes)
        } else {
          let error = await #expect(throws: OffersError.self) {
            try await thumbnail(loader(scaler))
          }
          #expect(error?.code == .limitExceeded)
          #expect(error?.message.hasSuffix("no smaller copy: It is damaged.") == true)
        }
      }
      #expect(scaler.count == 1)
    }
  }

  @Test("a copy that is no image or has more bytes than the image is not stored")
  func bad() async throws {
    answer(Self.wide)
    for copy in [[1, 2, 3], Self.wide + [0]] {
      _ = try await home.database.clearImages()
      let scaler = CountedScaler(.success(copy))
      #expect(try await thumbnail(loader(scaler)) == Self.wide)
      #expect(try await thumbnail(loader(scaler)) == Self.wide)
      #expect(scaler.count == 1)
    }
  }

  @Test("without a scaler, or one for the format, every image is returned as it is")
  func none() async throws {
    answer(Self.huge)
    #expect(try await thumbnail(loader(nil)) == Self.huge)
    let scaler = CountedScaler(.success(nil))
    #expect(try await thumbnail(loader(scaler)) == Self.huge)
    #expect(try await home.database.findThumbnail(of: "https://e.com/1.png") == nil)
  }

  @Test("an image that cannot be copied is not tried again for a day, though it is never fresh")
  func neverFresh() async throws {
    // A server that confirms its image at each use, and one that sends it again each time.
    for confirms in [true, false] {
      _ = try await home.database.clearImages()
      let scaler = CountedScaler(.failure(OffersError(.malformedImage, "It is damaged.")))
      let loader = loader(scaler)
      for number in 0..<20 {
        let isConfirmed = confirms && number > 0
        home.web.answer { _ in
          var answer = SimulatedAnswer(
            isConfirmed ? 304 : 200, [("ETag", "\"a\""), ("Cache-Control", "no-cache")])
          answer.bytes = isConfirmed ? [] : Self.wide
          return answer
        }
        #expect(try await thumbnail(loader) == Self.wide)
        home.wait(hours: 1)
      }
      #expect(scaler.count == 1)
      home.wait(hours: 24)
      #expect(try await thumbnail(loader) == Self.wide)
      #expect(scaler.count == 2)
    }
  }

  @Test("the images of one feed take one turn of two, on however many hosts they are")
  func turnsOfFeeds() async throws {
    answer(Self.wide)
    let door = Door()
    let scaler = HeldScaler(door, copy: Self.copy)
    let loader = loader(scaler)
    func offer(_ feed: String, _ number: Int) -> Offer {
      Offer(
        ref: OfferRef(feed: feed, offerID: "\(number)"), name: "Tea",
        imageURL: URL(string: "https://host\(number).example/\(feed).png"),
        firstSeenAt: home.now, changedAt: home.now)
    }
    let held = (0..<8).map { number in
      let offer = offer("many", number)
      return Task { try await loader.thumbnail(of: offer, feedSource: nil, width: 480).bytes }
    }
    await Door.wait { door.inside == 1 && loader.scalingTurns.waitingCount == 7 }
    // Another feed has a place, and none of the others took it.
    let other = offer("other", 9)
    let task = Task { try await loader.thumbnail(of: other, feedSource: nil, width: 480).bytes }
    await Door.wait { door.inside == 2 }
    door.open()
    for task in held + [task] { #expect(try await task.value == Self.copy) }
    #expect(door.most == 2)
  }

  @Test("when the image is no longer fresh its server is asked, and another image has another copy")
  func stale() async throws {
    answer(Self.wide)
    let scaler = CountedScaler(.success(Self.copy))
    let loader = loader(scaler)
    #expect(try await thumbnail(loader) == Self.copy)
    home.wait(hours: 25)
    answer([], 304)
    #expect(try await thumbnail(loader) == Self.copy)
    #expect(home.web.requests.count == 2)
    #expect(scaler.count == 1)
    home.wait(hours: 25)
    answer(Self.huge)
    #expect(try await thumbnail(loader) == Self.copy)
    #expect(scaler.count == 2)
  }
}
