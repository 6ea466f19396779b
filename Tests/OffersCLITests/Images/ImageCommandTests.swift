import Foundation
import OffersCore
import OffersSync
import OffersTestSupport
import TestStores
import Testing

@testable import OffersCLI

@Suite("offers image, cache, sync --images and show --images")
struct ImageCommandTests {
  /// Creates a home with offers whose images are on the server.
  private static func home(_ server: ImageServer, _ ids: [String] = ["1", "2"]) async throws -> Home
  {
    try await Home(synced: ids.map { FeedItem($0, "Tea \($0)", image: server.url($0)) })
  }

  private static func image(_ home: Home, _ id: String) throws -> Home.ShellResult {
    try home.shell("offers image \(id) --allow-private-network -o \(id).png && cksum < \(id).png")
  }

  @Test("an image is fetched once, then read from the cache without the server")
  func getsImage() async throws {
    let server = try ImageServer()
    let home = try await Self.home(server)
    let result = try Self.image(home, "1")
    #expect(result.errors == "1.png: PNG, 1 × 1, 58 B\n")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: home.folder.file("1.png")))
    #expect(Array(bytes) == ImageServer.image("1"))
    let piped = try home.shell("offers image 1 | cmp - 1.png && offers image 1 -o - | cmp - 1.png")
    #expect(piped.status == 0, "\(piped.errors)")
    let document = try await home.callDocument("image", "1")
    #expect(
      Set(document.keys) == [
        "ref", "url", "type", "width", "height", "bytes", "fetched_at", "fresh_until",
      ])
    #expect(document["type"] as? String == "image/png")
    #expect(document["bytes"] as? Int == 58)
    try await home.expect("image", "1", "--json", "-o", "-", status: 64)
    #expect(server.requests == ["1": 1])
  }

  @Test("the reason why an image cannot be fetched is printed")
  func refuses() async throws {
    let server = try ImageServer()
    let home = try await Home(synced: [
      FeedItem("1", "Tea", image: server.url("1")), FeedItem("2", "Jam"),
      FeedItem("3", "Milk", image: "pictures/3.png"),
    ])
    let url = server.url("1")
    let refused = try await home.call("image", "1")
    #expect(
      refused.errors == """
        offers: \(url) leads to 127.0.0.1, which is not on the public internet.
                Nothing was changed. If that is right, allow private networks: --allow-private-network

        """)
    #expect((refused.status, refused.output) == (1, ""))
    let none = try await home.expect("image", "2", status: 66)
    #expect(none.errors == "offers: ibotta:2 has no image.\n")
    let relative = try await home.call("image", "3")
    #expect(
      relative.errors
        == "offers: The picture's address pictures/3.png is relative to a feed that is not on the web.\n"
    )
    try await home.expect("image", "9", status: 66)
    #expect(server.requests.isEmpty)
  }

  @Test("sync --images fetches images, counts cached ones, and reports failures")
  func syncsImages() async throws {
    let server = try ImageServer()
    let home = try await Home(synced: [
      FeedItem("1", "Tea", image: server.url("1")), FeedItem("2", "Jam"),
      FeedItem("3", "Milk", image: server.url("3")), FeedItem("4", "Egg", image: "x.png"),
    ])
    let first = try await home.call("sync", "--images", "--allow-private-network")
    let line =
      "images: 2 fetched, 0 already cached, 1 failed: ibotta:4: The picture's address x.png is relative to a feed that is not on the web"
    #expect(
      home.stable(first.output) == """
        ibotta: no offers found in TIME
        \(line)

        """
        || home.stable(first.output) == """
          ibotta: 0 new, 0 changed, 0 gone, 0 back, 4 unchanged, 0 skipped in TIME
          \(line)

          """
    )
    #expect(first.errors == "")
    let second = try await home.callDocument("sync", "--images", "--allow-private-network")
    let images = second["images"] as? [String: Any]
    #expect(images?["fetched"] as? Int == 0)
    #expect(images?["held"] as? Int == 2)
    #expect((images?["failed"] as? [[String: String]])?.map { $0["ref"] } == ["ibotta:4"])
    #expect(server.requests == ["1": 1, "3": 1])
    try await home.expect("sync", "--images", "--dry-run", status: 64)
  }

  @Test("sync reports failures in one line, those with the same reason once, and their hints below")
  func tellsReasonsOnce() {
    var result = FetchedImages()
    for id in ["1", "2", "3", "4"] {
      let isOther = id == "2"
      result.failures.append(
        FetchedImages.Failure(
          ref: OfferRef(feed: "tea", offerID: id),
          error: OffersError(
            .sourceFailed, isOther ? "It is a page." : "The host x could not be found.",
            hint: isOther ? "Look at it." : nil)))
    }
    #expect(
      result.line
        == "images: 0 fetched, 0 already cached, 4 failed: tea:1 and 2 more: The host x could not be found; tea:2: It is a page"
    )
    #expect(result.hintLines == ["  Look at it."])
  }

  @Test("cache lists each failure reason once, the most frequent first")
  func countsFailures() {
    func failure(_ url: String, _ reason: String) -> ImageFailure {
      ImageFailure(url: url, code: .sourceFailed, reason: reason, until: Date())
    }
    let many = (1...3).map {
      failure("https://a.example/\($0)", "https://a.example/\($0) is a page.")
    }
    let one = [failure("https://b.example/1", "b.example has no address.")]
    #expect(
      CacheCommand.failureLines(one + many) == [
        "  3 images: a.example is a page.", "  b.example has no address.",
      ])
    let all = (10...30).map { failure("https://a.example/\($0)", "Reason \($0).") }
    let lines = CacheCommand.failureLines(all)
    #expect(lines.count == 11)
    #expect(lines.last == "  and 11 others: offers cache --json")
  }

  @Test("sync --images fetches at most 50 images: those of favorites, then of the newest offers")
  func prefersFavorites() async throws {
    let server = try ImageServer(pauseMicroseconds: 0)
    let ids = (1...70).map(String.init)
    let home = try await Self.home(server, ids)
    try await home.expect("favorite", "3", "5")
    let result = try await home.call("sync", "--images", "--allow-private-network")
    #expect(result.output.hasSuffix("images: 50 fetched, 0 already cached, 0 failed\n"))
    #expect(Set(server.requests.keys) == Set(["3", "5"] + (23...70).map(String.init)))
    let cache = try await home.callDocument("cache")
    let held = cache["images"] as? [[String: Any]] ?? []
    #expect(held.count == 50)
    #expect(held.count { $0["favorite"] as? Bool == true } == 2)
    #expect(held.prefix(2).allSatisfy { $0["type"] as? String == "image/png" })
  }

  @Test("cache shows the cached images, and cache clear removes them")
  func showsCache() async throws {
    let server = try ImageServer()
    let home = try await Self.home(server)
    try await home.expect("favorite", "2")
    #expect(
      try await home.call("cache").output == """
        Holds  0 of 50 images, 0 B, 0 of favorites
        Asked  0 times, found 0 times; 0 evicted

        """)
    for id in ["1", "2", "2"] { #expect(try Self.image(home, id).status == 0) }
    #expect(
      try await home.call("cache").output == """
        Holds  2 of 50 images, 116 B, 1 of favorites
        Asked  3 times, found 1 time (33 %); 0 evicted

           TYPE  PIXELS  SIZE  FETCHED   URL
        ★  PNG   1 × 1   58 B  just now  \(server.url("2"))
           PNG   1 × 1   58 B  just now  \(server.url("1"))

        """)
    #expect(try await home.call("cache", "clear").output == "Cleared 2 images.\n")
    #expect(try await home.call("cache", "clear", "--json").output == "{\"cleared\":0}\n")
    #expect(
      try await home.call("cache", "--json").output
        == #"{"capacity":50,"hits":0,"misses":0,"evictions":0,"images":[],"failures":[]}"# + "\n")
    try await home.expect("cache", "away", status: 64)
  }

  @Test("the limit that an app set holds for sync --images and cache")
  func respectsLimit() async throws {
    let server = try ImageServer(pauseMicroseconds: 0)
    let home = try await Self.home(server, (1...9).map(String.init))
    try await home.store.open().setImageLimit(4)
    try await home.expect("favorite", "2")
    let result = try await home.call("sync", "--images", "--allow-private-network")
    #expect(result.output.hasSuffix("images: 4 fetched, 0 already cached, 0 failed\n"))
    #expect(Set(server.requests.keys) == ["2", "7", "8", "9"])
    #expect(try await home.call("cache").output.hasPrefix("Holds  4 of 4 images, "))
    #expect(try await home.callDocument("cache")["capacity"] as? Int == 4)
  }

  @Test("piped, show prints no picture in any mode")
  func drawsNothingPiped() async throws {
    let server = try ImageServer()
    let home = try await Self.home(server)
    let plain = try await home.call("show", "1").output
    for mode in ["auto", "always", "never"] {
      #expect(try await home.call("show", "1", "--images", mode).output == plain)
    }
    #expect(!plain.contains("picture"))
    #expect(server.requests.isEmpty)
  }

  @Test(
    "a terminal that cannot show pictures gets a note", .enabled(if: PseudoTerminal.isPresent))
  func tellsPlaceholder() async throws {
    let server = try ImageServer()
    let home = try await Self.home(server)
    let shown = try PseudoTerminal.run(["show", "1"], in: home)
    // Showing an offer sends no request.
    #expect(server.requests.isEmpty)
    #expect(
      shown.hasPrefix(
        """
        [no picture: not fetched yet; offers sync --images]
        $1.00 Cash Back
        Tea 1

        """), "\(shown)")
    let never = try PseudoTerminal.run(["show", "1", "--images", "never"], in: home)
    #expect(never.hasPrefix("$1.00 Cash Back\n"))
    let terminal = try PseudoTerminal.run(["image", "1"], in: home)
    #expect(terminal.contains("The bytes of an image cannot be shown on a terminal."))
  }

  @Test("kitty and iTerm2 get the image's bytes; other terminals get chafa's output")
  func draws() throws {
    func way(_ variables: [String: String]) -> TerminalPicture.Way {
      TerminalPicture.way { variables[$0] }
    }
    #expect(way(["TERM": "xterm-kitty"]) == .kitty)
    #expect(way(["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"]) == .iTerm)
    #expect(way(["TERM": "foot"]) == .sixel)
    #expect(way(["TERM": "xterm-kitty", "TMUX": "/tmp/x"]) == .symbols)
    #expect(way([:]) == .symbols)
    let bytes = TinyImage.png(width: 100, height: 50, filling: [UInt8](repeating: 1, count: 4000))
    let image = CachedImage(
      url: "x", bytes: bytes, header: try ImageHeader(reading: bytes), fetchedAt: .now,
      freshUntil: .now)
    let base64 = Data(bytes).base64EncodedString()
    func draw(_ way: TerminalPicture.Way, path: String = "/nowhere") -> TerminalPicture.Drawing {
      TerminalPicture.draw(image, way, width: 80, colors: "full", path: path)
    }
    func sequence(_ drawing: TerminalPicture.Drawing) -> String? {
      if case .drawn(let drawing) = drawing { drawing.sequence } else { nil }
    }
    #expect(
      sequence(draw(.kitty))
        == "\u{1B}_Ga=T,f=100,c=13,m=1;\(base64.prefix(4096))\u{1B}\\"
        + "\u{1B}_Gm=0;\(base64.dropFirst(4096))\u{1B}\\\n")
    #expect(
      sequence(draw(.iTerm))
        == "\u{1B}]1337;File=inline=1;size=\(bytes.count);width=13;preserveAspectRatio=1:"
        + "\(base64)\u{07}\n")
    #expect(draw(.symbols) == .needsChafa)
    let folder = try TemporaryFolder()
    try folder.write("#!/bin/sh\necho \"$@\"; wc -c\n", to: "chafa")
    #expect(chmod(folder.file("chafa"), 0o700) == 0)
    #expect(
      sequence(draw(.sixel, path: "/nowhere:" + folder.path))
        == "--format sixels --colors full --animate off --symbols half+space --size 13x15 -\n"
        + "\(bytes.count)\n")
    let tall = CachedImage(
      url: "x", bytes: bytes, header: ImageHeader(format: .png, width: 123, height: 456),
      fetchedAt: .now, freshUntil: .now)
    #expect(
      sequence(TerminalPicture.draw(tall, .iTerm, width: 80, colors: "full", path: ""))
        == "\u{1B}]1337;File=inline=1;size=\(bytes.count);width=8;preserveAspectRatio=1:"
        + "\(base64)\u{07}\n")
    try folder.write("#!/bin/sh\nexit 1\n", to: "chafa")
    #expect(chmod(folder.file("chafa"), 0o700) == 0)
    #expect(draw(.symbols, path: folder.path) == .failed)
  }
}
