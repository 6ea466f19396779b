import Foundation
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("offers open")
struct OpenCommandTests {
  /// Creates a home with fake browsers that log the arguments they were called with.
  private static func home() async throws -> Home {
    let home = try await ListFilterTests.home()
    for (name, status) in [("good", 0), ("bad", 3), ("xdg-open", 0)] {
      try home.folder.write(
        "#!/bin/sh\nfor word; do echo \"\(name) [$word]\" >> '\(home.folder.path)/opened'; done\n"
          + "exit \(status)\n", to: name, mode: 0o755)
    }
    try home.folder.write("", to: "opened")
    return home
  }

  private static func open(
    _ home: Home, _ id: String, browser: String?, path: String? = nil, options: [String] = []
  ) throws -> (result: OffersProgram.Result, opened: String) {
    var environment = home.environment
    environment["BROWSER"] = browser ?? ""
    environment["PATH"] = path ?? "\(home.folder.path):/usr/bin:/bin"
    try home.folder.write("", to: "opened")
    let result = try OffersProgram.run(["open", id] + options, environment: environment)
    return (result, try home.folder.text(of: "opened"))
  }

  @Test("without BROWSER, xdg-open opens the link, and its name is printed")
  func desktop() async throws {
    let (result, opened) = try Self.open(await Self.home(), "1", browser: nil)
    #expect(opened == "xdg-open [https://shop.example/1]\n")
    #expect(result.errors == "Opening https://shop.example/1 with xdg-open\n")
    #expect(result.output == "")
    #expect(result.status == 0)
  }

  @Test("BROWSER is a program by its name or path, and the link is its only argument")
  func browsers() async throws {
    let home = try await Self.home()
    for browser in ["good", home.folder.file("good")] {
      let (result, opened) = try Self.open(home, "shop:1", browser: browser)
      #expect(opened == "good [https://shop.example/1]\n")
      #expect(result.status == 0)
    }
  }

  @Test("neither the link nor BROWSER is interpreted by a shell")
  func noShell() async throws {
    let home = try await Self.home()
    let marker = home.folder.file("marker")
    #expect(
      try Self.open(home, "2", browser: "good").opened
        == "good [https://shop.example/2?a=b&c='d%20e']\n")
    for browser in ["good $(touch \(marker))", "good; touch \(marker)", "sh -c 'touch \(marker)'"] {
      let (result, opened) = try Self.open(home, "2", browser: browser)
      #expect(opened == "" && result.status == 1)
    }
    #expect(!FileManager.default.fileExists(atPath: marker))
  }

  @Test("without a working browser, the link is printed with a hint")
  func noBrowser() async throws {
    let home = try await Self.home()
    for (browser, tried) in [
      (nil, "xdg-open"), ("nowhere", "nowhere"), ("bad", "bad"), ("good --new", "good --new"),
    ] {
      let path = browser == nil ? "/nowhere" : nil
      let (result, _) = try Self.open(home, "1", browser: browser, path: path)
      #expect(result.output == "https://shop.example/1\n")
      #expect(result.errors.contains("The browser “\(tried)” could not be started, or failed."))
      #expect(result.errors.contains("BROWSER=firefox offers open shop:1"))
      #expect(result.status == 1)
    }
  }

  @Test("the JSON says whether the link was opened")
  func json() async throws {
    let home = try await Self.home()
    for (browser, opened) in [("good", true), ("bad", false)] {
      let (result, _) = try Self.open(home, "1", browser: browser, options: ["--json"])
      #expect(
        result.output == """
          {"ref":"shop:1","url":"https://shop.example/1","opened":\(opened)}

          """)
      #expect(result.status == (opened ? 0 : 1))
    }
  }

  @Test("only web pages are opened, and an offer without a link is reported")
  func refusals() async throws {
    let home = try await Self.home()
    let script = try Self.open(home, "5", browser: "good")
    let none = try Self.open(home, "3", browser: "good")
    let unknown = try Self.open(home, "99", browser: "good")
    #expect(script.opened + none.opened + unknown.opened == "")
    #expect(none.result.errors.hasPrefix("offers: shop:3 has no link.\n"))
    for result in [script.result, none.result, unknown.result] {
      #expect(result.status == 66)
      #expect(result.output == "")
    }
  }

  @Test(
    "a link is http or https with a host; characters that a URL may not contain are encoded",
    arguments: [
      ("https://e.com", "https://e.com"), ("HTTP://E.com/ä", "HTTP://E.com/%C3%A4"),
      ("https://e.com/\u{1B}[2J\n\"<>", "https://e.com/%1B[2J%0A%22%3C%3E"),
      ("https://e.com/a%20b?c=%s", "https://e.com/a%20b?c=%s"),
    ])
  func links(url: String, link: String) {
    #expect(WebLink(url)?.text == link)
  }

  @Test(
    "any other text is not a link to a web page",
    arguments: [
      "", "http", "https://", "http:///etc/passwd", "file:///etc/passwd", "javascript:alert(1)",
      "//e.com", "ftp://e.com", "https:e.com", " https://e.com", "data:text/html,x",
      "-https://e.com",
      "http:\u{0F}\u{0F}e.com", "https://?q", "https://:80", "ｈttps://e.com",
    ])
  func noLinks(url: String) {
    #expect(WebLink(url) == nil)
  }
}
