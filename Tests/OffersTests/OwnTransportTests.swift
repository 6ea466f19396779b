import Foundation
import Offers
import OffersTestSupport
import Testing

@Suite("A transport of the app's own")
struct OwnTransportTests {
  private static let url = "https://shop.example/offers.json"
  private static let feed = #"[{"id":"1","name":"Tea"},{"id":"2","name":"Jam"}]"#

  private let database: OffersDatabase

  init() async throws {
    database = try await OffersDatabase.inMemory()
  }

  private func sync(
    _ transport: CannedTransport, from source: String? = url, _ options: SyncOptions = SyncOptions()
  ) async throws -> SyncRun {
    var options = options
    options.source = source.map { .url($0) }
    return try await SyncEngine(store: database, transport: transport).sync(
      "ibotta", options: options)
  }

  /// The error of a sync that fails.
  private func failure(
    _ transport: CannedTransport, from source: String? = url, _ options: SyncOptions = SyncOptions()
  ) async throws -> OffersError {
    let error = await #expect(throws: OffersError.self) {
      try await sync(transport, from: source, options)
    }
    return try #require(error)
  }

  private func ids() async throws -> [String] {
    try await database.fetchOffers(OfferQuery()).map(\.ref.offerID)
  }

  @Test("brings offers, and asks with the validators that it gave")
  func syncs() async throws {
    let web = CannedTransport([
      Self.url: .response(200, [HeaderField("ETag", #""a""#)], Self.feed)
    ])
    #expect(try await sync(web).counts.new == 2)
    #expect(web.sent("accept-encoding") == "gzip, deflate")
    #expect(web.sent("if-none-match") == nil)
    web.answer(Self.url, .response(304))
    #expect(try await sync(web).outcome == .unchanged)
    #expect(web.sent("if-none-match") == #""a""#)
    #expect(try await ids().sorted() == ["1", "2"])
  }

  @Test("may decompress itself, if it removes the fields that say so")
  func leavesBodiesAsTheyAre() async throws {
    let gzip: [UInt8] = [
      31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 139, 174, 86, 202, 76, 81, 178, 82, 50, 84, 210,
      81, 202, 75, 204, 77, 5, 50, 67, 82, 19, 149, 106, 99, 1, 85, 58, 107, 185, 25, 0,
      0, 0,
    ]
    let web = CannedTransport([
      Self.url: .bytes(gzip, [HeaderField("content-encoding", "GZIP")])
    ])
    #expect(try await sync(web).counts.new == 1)
    web.answer(Self.url, .response(200, [], #"[{"id":"1","name":"Tea"}]"#))
    #expect(try await sync(web).outcome == .unchanged)
  }

  @Test("gets each redirect as a new request, and none to a private network or another scheme")
  func followsRedirects() async throws {
    let there = "https://shop.example/there.json"
    let web = CannedTransport([
      Self.url: .response(302, [HeaderField("location", "/there.json")]),
      there: .response(200, [], Self.feed),
    ])
    #expect(try await sync(web).counts.new == 2)
    #expect(web.asked == [Self.url, there])
    for target in [
      "https://127.0.0.1/", "https://0x7f.1/", "https://[::1]/", "https://nas.local/",
      "file:///etc/passwd", "ftp://shop.example/", "http://shop.example/",
    ] {
      let other = CannedTransport([Self.url: .response(301, [HeaderField("location", target)])])
      #expect(try await failure(other).code == .sourceFailed)
      #expect(other.asked.first == Self.url && !other.asked.contains(target))
    }
    #expect(try await ids().count == 2)
  }

  @Test("is not asked for a private server that somebody else named")
  func refusesPrivateServers() async throws {
    let web = CannedTransport([:])
    for source in ["http://127.0.0.1:1/", "http://localhost/", "http://nas.local/feed.json"] {
      let error = try await failure(web, from: source, SyncOptions(sourceMayBePrivate: false))
      #expect(error.message.contains("not on the public internet"))
    }
    #expect(web.asked.isEmpty)
  }

  @Test("can check the address that a name resolves to", arguments: [true, false])
  func checksAddresses(isPublic: Bool) async throws {
    let web = CannedTransport([Self.url: .resolved(isPublic ? "1.1.1.1" : "10.0.0.1")])
    let options = SyncOptions(sourceMayBePrivate: false)
    if isPublic {
      #expect(try await sync(web, options).counts.new == 0)
    } else {
      let error = try await failure(web, options)
      #expect(error.message.contains("\(Self.url) leads to a private network, which is not"))
    }
  }

  @Test("may fail for each reason, before or within the body, and nothing is changed")
  func reportsFailures() async throws {
    struct Odd: Error {}
    let web = CannedTransport([Self.url: .response(200, [], Self.feed)])
    #expect(try await sync(web).counts.new == 2)
    let errors: [any Error] = TransportFailure.Reason.allCases.map {
      TransportFailure($0, cause: "test")
    }
    var messages: Set<String> = []
    for cause in errors {
      for answer in [CannedTransport.Answer.failure(cause), .cut("[{", cause)] {
        web.answer(Self.url, answer)
        let error = try await failure(web)
        let isMissing = error.code == .noNetwork
        #expect(isMissing == ((cause as? TransportFailure)?.reason == .noNetwork))
        if !isMissing {
          #expect(error.code == .sourceFailed && error.cause == "test")
          #expect(error.message.hasPrefix("\(Self.url) "))
        }
        messages.insert(error.message)
      }
    }
    #expect(messages.count == errors.count)
    web.answer(Self.url, .failure(Odd()))
    let odd = try await failure(web)
    #expect(odd.message == "\(Self.url) could not be read." && odd.cause == "Odd()")
    web.answer(Self.url, .failure(TransportFailure(.untrusted, hint: "Trust it.")))
    #expect(try await failure(web).hint?.text == "Trust it.")
    #expect(try await ids().count == 2)
  }

  @Test("may cancel, which is no failure of the feed")
  func cancels() async throws {
    let web = CannedTransport([Self.url: .failure(CancellationError())])
    await #expect(throws: OffersError.cancelled) { try await sync(web) }
  }

  @Test("is held to the limits of the sync")
  func obeysLimits() async throws {
    let web = CannedTransport([Self.url: .response(200, [], Self.feed)])
    var options = SyncOptions(limits: FetchLimits(bodyBytes: Self.feed.utf8.count - 1))
    #expect(try await failure(web, options).code == .limitExceeded)
    for (url, next) in [
      (Self.url, "/1"), ("https://shop.example/1", "/2"), ("https://shop.example/2", "/3"),
    ] {
      web.answer(url, .response(301, [HeaderField("location", next)]))
    }
    options.limits = FetchLimits(redirects: 2)
    #expect(try await failure(web, options).message.contains("more than 2 times"))
    #expect(web.asked.count == 4)
    #expect(try await ids().isEmpty)
  }

  @Test("brings images")
  func loadsImages() async throws {
    let png = TinyImage.png()
    let url = "https://shop.example/1.png"
    let web = CannedTransport([url: .bytes(png, [])])
    let loader = ImageLoader(images: database, transport: web)
    #expect(try await loader.image(at: url).bytes == png)
    #expect(web.sent("accept-encoding") == "identity")
    await #expect(throws: OffersError.self) {
      try await loader.image(at: "https://10.0.0.1/1.png")
    }
    #expect(web.asked == [url])
    await loader.close()
  }

  #if HTTP
    @Test("is not needed with the trait HTTP")
    func isOptional() async throws {
      let server = try ScriptedServer([.answer("200 OK", [], Self.feed)])
      let run = try await SyncEngine(store: database).sync(
        "ibotta", options: SyncOptions(source: .url(server.url())))
      #expect(run.counts.new == 2)
    }
  #endif
}
