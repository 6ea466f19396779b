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
      let path = try home.folder.write(
        "#!/bin/sh\nfor word; do echo \"\(name) [$word]\" >> '\(home.folder.path)/opened'; done\n"
          + "exit \(status)\n", to: name)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
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

  @Test(
    "BROWSER is a list of commands with placeholders for the link; the first that works is used",
    arguments: [
      ("good", "good [LINK]\n"), ("nowhere:good -n", "good [-n]\ngood [LINK]\n"),
      ("bad:good", "bad [LINK]\ngood [LINK]\n"),
      ("good --url=%s x", "good [--url=LINK]\ngood [x]\n"),
      ("good '%s %%' %c%q", "good [LINK %]\ngood [:%q]\n"), ("::good &", "good [LINK]\n"),
      ("/nowhere/good:  :good", "good [LINK]\n"),
      (" good   \"\" 50%", "good []\ngood [50%]\ngood [LINK]\n"),
      // Quotes and backslashes as in a shell.
      (#"good "a 'b' \"c\"" 'd"e'f"#, "good [a 'b' \"c\"]\ngood [d\"ef]\ngood [LINK]\n"),
      (
        #"good a\ b "c\d\\\$" 'e\x' g\'h"#,
        "good [a b]\ngood [c\\d\\$]\ngood [e\\x]\ngood [g'h]\ngood [LINK]\n"
      ),
      (#"good "a:b" c\:d:bad"#, "good [a:b]\ngood [c:d]\ngood [LINK]\n"),
      ("good\ta\n%s", "good [a]\ngood [LINK]\n"),
      // A quote that is not closed makes a command unusable; the next one may work.
      ("good 'a b", "xdg-open [LINK]\n"), ("good \\", "xdg-open [LINK]\n"),
    ])
  func browsers(browser: String, expected: String) async throws {
    let (result, opened) = try Self.open(await Self.home(), "shop:1", browser: browser)
    #expect(opened == expected.replacing("LINK", with: "https://shop.example/1"))
    #expect(result.status == 0)
  }

  @Test("neither the link nor BROWSER is interpreted by a shell")
  func noShell() async throws {
    let home = try await Self.home()
    let marker = home.folder.file("marker")
    let (result, opened) = try Self.open(
      home, "2", browser: "good $(touch \(marker)) ;touch \(marker)")
    #expect(opened.hasSuffix("good [https://shop.example/2?a=b&c='d%20e']\n"))
    #expect(!FileManager.default.fileExists(atPath: marker))
    #expect(result.status == 0)
  }

  @Test(
    "a shell that BROWSER names takes no part of the link for a command",
    arguments: [
      "sh -c 'good %s'", "sh -c 'good \"%s\"'", #"sh -c "good '%s'""#, "sh -c 'good x%s'",
      #"sh -c "good \"%s\"""#, #"sh -c good\ %s"#,
    ])
  func shell(browser: String) async throws {
    let home = try await Self.home()
    let offers = try home.folder.write(
      #"[{"id":"6","title":"Tea","page":"https://shop.example/6?a=1&touch marker;touch>marker;$(touch marker)''#x"}]"#,
      to: "evil.json")
    try home.folder.write(
      "feeds: {evil: {source: \(offers), id: id, fields: {name: title, link: page}}}",
      to: "evil.yaml")
    let synced = try home.offers("sync", "evil", "--config", home.folder.file("evil.yaml"))
    try #require(synced.status == 0, "\(synced.errors)")
    let (result, opened) = try Self.open(home, "6", browser: browser)
    let link =
      "https://shop.example/6?a=1&touch%20marker;touch%3Emarker;%24(touch%20marker)%27%27#x"
    #expect(opened == "good [\(browser.contains("x%s") ? "x" : "")\(link)]\n")
    #expect(result.status == 0)
    #expect(!FileManager.default.fileExists(atPath: home.folder.file("marker")))
  }

  @Test("without a working browser, the link is printed with a hint")
  func noBrowser() async throws {
    let home = try await Self.home()
    for (browser, tried) in [(nil, "xdg-open"), ("nowhere:bad", "nowhere, bad")] {
      let path = browser == nil ? "/nowhere" : nil
      let (result, _) = try Self.open(home, "1", browser: browser, path: path)
      #expect(result.output == "https://shop.example/1\n")
      #expect(result.errors.contains("No browser could be started (tried: \(tried))."))
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
