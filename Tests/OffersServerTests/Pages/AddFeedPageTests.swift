import OffersCore
import Testing

@testable import OffersServer

@Suite("The section that adds a feed")
struct AddFeedPageTests {
  private static let path = "/settings/add-feed"

  @Test("the settings have the form, and say how to keep one's data")
  func settings() async throws {
    let home = try await ServedHome()
    for path in ["/settings/feeds", "/settings/add-feed"] {
      let page = try await home.show(path)
      #expect(page.status == 200)
      #expect(
        page.text.contains(#"<form class="feed-form" method="post" action="/settings/add-feed">"#))
      #expect(!page.text.contains("role=\"alert\""))
    }
    let text = try await home.show("/settings/about").text
    for command in ["backup FILE", "restore FILE", "schedule install"] {
      #expect(text.contains("<code>offers \(command)</code>"))
    }
  }

  @Test("without scripts a form shows what was found, and another adds it")
  func adds() async throws {
    let home = try await ServedHome()
    let adder = ScriptedAdder()
    let client = try home.client(home.server(adder: adder))
    let found = try await client.form(Self.path, "source=tea.example%2Fa")
    #expect(found.status == 200)
    // The scheme may be left out.
    #expect(adder.proposedSources.withLock { $0 } == ["tea.example/a"])
    for text in [
      "12 teas", "1 record left out", "Green Tea", "&lt;b&gt;Black&lt;/b&gt; Tea", "$1.00",
      #"name="title" value="Tea Shop""#, #"name="name" value="tea-shop""#, "price.amount",
      "10 of 12", "The currency of the rewards is unknown.",
      #"<img src="/api/v1/proposals/1/images/0""#,
    ] {
      #expect(found.text.contains(text), "\(text)")
    }
    #expect(found.text.count(of: "<img ") == 1)
    #expect(adder.added.withLock { $0 }.isEmpty)
    let added = try await client.form(
      Self.path, "source=https%3A%2F%2Ftea.example%2Fa&add=1&name=leaves&title=Leaves")
    #expect(added.status == 303)
    #expect(added.headers[.location] == "/feeds/leaves")
    #expect(try await client.get("/feeds/leaves").status == 200)
    #expect(adder.added.withLock { $0 } == [ScriptedAdder.Added(name: "leaves", title: "Leaves")])
    #expect(try await home.database.fetchFeeds().map(\.name).contains("leaves"))
  }

  @Test("an error stands beside its field, which keeps what was typed")
  func errors() async throws {
    let home = try await ServedHome()
    let adder = ScriptedAdder()
    let client = try home.client(home.server(adder: adder))
    for (form, status, text) in [
      ("source=https%3A%2F%2Ftea.example%2Frefused", 502, "This is a web page, not a feed."),
      ("source=%2Fetc%2Fpasswd", 400, "not an http:// or https:// address"),
      ("source=", 400, "The address is missing."),
    ] {
      let answer = try await client.form(Self.path, form)
      #expect(answer.status == status)
      let alert = answer.text.between(#"id="feed-address-error" role="alert">"#, "</p>")
      #expect(alert?.contains(text) == true, "\(form)")
      #expect(answer.text.contains(#"aria-invalid="true""#))
    }
    _ = try await client.form(Self.path, "source=https%3A%2F%2Ftea.example%2Fa")
    let taken = try await client.form(
      Self.path, "source=https%3A%2F%2Ftea.example%2Fa&add=1&name=ibotta&title=Mine")
    #expect(taken.status == 409)
    let alert = taken.text.between(#"id="feed-name-error" role="alert">"#, "</p>")
    #expect(alert?.contains("There is already a feed ibotta.") == true)
    #expect(taken.text.contains(#"name="name" value="ibotta""#))
    #expect(taken.text.contains(#"name="title" value="Mine""#))
    let refused = try await client.form(
      Self.path, "source=https%3A%2F%2Ftea.example%2Fa", origin: "https://evil.example")
    #expect(refused.status == 403)
    #expect(adder.added.withLock { $0 }.isEmpty)
  }
}
