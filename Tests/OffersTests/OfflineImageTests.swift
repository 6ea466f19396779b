import Foundation
import Offers
import OffersTestSupport
import Synchronization
import Testing

@Suite("Pictures without a network")
struct OfflineImageTests {
  private static let url = "https://shop.example/1.png"

  /// A clock that a test sets.
  private final class Clock: Sendable {
    private let seconds = Mutex(1_800_000_000.0)
    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    func wait(_ more: Double) { seconds.withLock { $0 += more } }
  }

  private let folder: TemporaryFolder
  private let web = CannedTransport([:])
  private let clock = Clock()
  private let loader: ImageLoader
  private let offer: Offer

  init() async throws {
    folder = try TemporaryFolder()
    let database = try await OffersDatabase.open(at: URL(filePath: folder.file("offers.sqlite")))
    loader = ImageLoader(images: database, transport: web, now: { [clock] in clock.now })
    offer = Offer(
      ref: OfferRef(feed: "teas", offerID: "1"), name: "Tea", imageURL: URL(string: Self.url),
      firstSeenAt: .now, changedAt: .now)
  }

  private func hint() async -> String? {
    await #expect(throws: OffersError.self) { try await loader.image(of: offer) }?.hint?.text
  }

  @Test(
    "a server that cannot be reached is asked again after 30 seconds",
    arguments: [TransportFailure.Reason.unreachable, .noAnswer])
  func unreached(reason: TransportFailure.Reason) async throws {
    web.answer(Self.url, .failure(TransportFailure(reason)))
    #expect(await hint() == "It is asked for again in 30 seconds.")
    clock.wait(10)
    #expect(await hint() == "It is asked for again in 20 seconds.")
    #expect(web.asked.count == 1)
    clock.wait(20)
    web.answer(Self.url, .bytes(TinyImage.png(), []))
    #expect(try await loader.image(of: offer).bytes == TinyImage.png())
    #expect(web.asked.count == 2)
  }

  @Test("forgetting failures lets the server be asked at once")
  func triesAgain() async throws {
    web.answer(Self.url, .response(404))
    #expect(await hint() == "It is asked for again in 10 minutes.")
    #expect(await hint() == "It is asked for again in 10 minutes.")
    #expect(web.asked.count == 1)
    web.answer(Self.url, .bytes(TinyImage.png(), []))
    try await loader.forgetFailures()
    #expect(try await loader.image(of: offer).bytes == TinyImage.png())
  }

  @Test("a wait that the server asked for is told, and not forgotten")
  func obeysServer() async throws {
    web.answer(Self.url, .response(503, [HeaderField("Retry-After", "7200")]))
    #expect(await hint() == "It is asked for again in 2 hours.")
    try await loader.forgetFailures()
    clock.wait(3600)
    #expect(await hint() == "It is asked for again in 60 minutes.")
    #expect(web.asked.count == 1)
  }
}
