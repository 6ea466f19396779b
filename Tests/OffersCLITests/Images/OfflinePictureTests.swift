import Foundation
import OffersTestSupport
import Testing

@Suite("Pictures on a terminal without a server", .enabled(if: PseudoTerminal.isPresent))
struct OfflinePictureTests {
  /// Creates a home whose pictures were fetched from a server that has since ended.
  ///
  /// - Parameter pauseMicroseconds: How long the server took to answer each request.
  private static func home(
    pauseMicroseconds: UInt32 = 0
  ) async throws -> (home: Home, picture: [UInt8], progress: String) {
    let server = try ImageServer(pauseMicroseconds: pauseMicroseconds)
    let home = try await Home(
      synced: ["1", "2", "3"].map { FeedItem($0, "Tea \($0)", image: server.url($0)) })
    let progress = try PseudoTerminal.run(
      ["sync", "--images", "--allow-private-network"], in: home)
    return (home, ImageServer.image("1"), progress)
  }

  @Test("show draws the picture that sync --images fetched, with the terminal's own protocol")
  func showsPicture() async throws {
    let (home, picture, _) = try await Self.home()
    let base64 = Data(picture).base64EncodedString()
    for mode in ["auto", "always"] {
      let words = ["show", "1", "--images", mode]
      let kitty = try PseudoTerminal.run(words, in: home, variables: ["TERM": "xterm-kitty"])
      #expect(
        kitty.hasPrefix("\u{1B}_Ga=T,f=100,c=1,m=0;\(base64)\u{1B}\\\n$1.00 Cash Back\nTea 1\n"))
      let iTerm = try PseudoTerminal.run(
        words, in: home, variables: ["TERM": "xterm", "TERM_PROGRAM": "iTerm.app"])
      #expect(
        iTerm.hasPrefix(
          "\u{1B}]1337;File=inline=1;size=\(picture.count);width=1;preserveAspectRatio=1:"
            + "\(base64)\u{07}\n$1.00 Cash Back\n"))
    }
    let cache = try await home.callDocument("cache")
    #expect(cache["misses"] as? Int == 3)
    #expect(cache["hits"] as? Int == 4)
  }

  @Test("the pictures of the sample need no network and no cache")
  func showsSample() async throws {
    let home = try Home()
    #expect(try await home.call("sync", "--images").output.contains("images: 0 fetched"))
    let picture = try await home.call("image", "900117", "-o", home.folder.file("jar.png"))
    #expect(picture.errors.contains("jar.png: PNG, 200 × 200"))
    let kitty = try PseudoTerminal.run(
      ["show", "900117"], in: home, variables: ["TERM": "xterm-kitty"])
    #expect(kitty.hasPrefix("\u{1B}_Ga=T,f=100,c=25,m=0;iVBOR"))
    let cache = try await home.callDocument("cache")
    #expect((cache["images"] as? [Any])?.isEmpty == true && cache["misses"] as? Int == 0)
  }

  @Test("chafa draws on other terminals; without it, a line tells how to see the picture")
  func asksChafa() async throws {
    let (home, _, _) = try await Self.home()
    try home.folder.write("#!/bin/sh\necho drawn: \"$@\"\n", to: "chafa")
    #expect(chmod(home.folder.file("chafa"), 0o700) == 0)
    let path = home.folder.path + ":/usr/bin:/bin"
    // A search path with only the one program that the pseudoterminal needs, without chafa.
    let bare = home.folder.file("bare")
    #expect(try home.shell("mkdir bare && ln -s \"$(command -v stty)\" bare").status == 0)
    for (terminal, format) in [("foot", "sixels"), ("xterm-256color", "symbols")] {
      let shown = try PseudoTerminal.run(
        ["show", "1"], in: home, variables: ["TERM": terminal, "PATH": path])
      #expect(shown.hasPrefix("drawn: --format \(format) --colors "), "\(shown)")
      let without = try PseudoTerminal.run(
        ["show", "1"], in: home, variables: ["TERM": terminal, "PATH": bare])
      #expect(
        without.hasPrefix(
          "[no picture: PNG, 1 × 1; to see it here, install chafa]\n$1.00 Cash Back\n"),
        "\(without)")
    }
  }

  @Test("fetching pictures shows a progress bar and erases it at the end")
  func showsProgress() async throws {
    // The bar appears after half a second, and at most two images are fetched from a server at a
    // time.
    let (_, _, progress) = try await Self.home(pauseMicroseconds: 900_000)
    let line = try #require(progress.firstMatch(of: /\r\x1B\[Kimages  \[([#·]+)\]  \d of 3/))
    #expect(line.output.1.count == 20)
    #expect(
      progress.contains("\r\u{1B}[K\("ibotta: ")") || progress.contains("\r\u{1B}[Kimages: 3"))
    #expect(progress.hasSuffix("images: 3 fetched, 0 already cached, 0 failed\n"))
  }
}
