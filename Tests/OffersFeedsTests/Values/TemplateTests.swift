import OffersCore
import OffersFeeds
import Testing

@Suite("Templates")
struct TemplateTests {
  private static func path(_ keys: String...) -> Template.Part { .path(FieldPath(keys: keys)) }

  @Test(
    "a template survives parsing and printing",
    arguments: [
      ("https://x/{id}", Template.Use.item, [.literal("https://x/"), path("id")]),
      ("{a.b} of {c}", .item, [path("a", "b"), .literal(" of "), path("c")]),
      ("{{{a}}}", .item, [.literal("{"), path("a"), .literal("}")]),
      ("{a}}}", .item, [path("a"), .literal("}")]),
      ("{page}{query}", .item, [path("page"), path("query")]),
      ("{\"a}b\"}", .item, [path("a}b")]),
      ("{\"a\\\"}b\"}", .item, [path("a\"}b")]),
      ("{\"env:HOME\"}", .item, [path("env:HOME")]),
      ("{.}!", .item, [.path(.itself), .literal("!")]),
      ("{@key}", .item, [.path(FieldPath([.ownKey(1)]))]),
      ("it's {a}", .item, [.literal("it's "), path("a")]),
      (
        "?k={env:API_KEY}&p={page}", .source,
        [.literal("?k="), .environment("API_KEY"), .literal("&p="), .page]
      ),
      ("?q={query}&p={page}", .search, [.literal("?q="), .query, .literal("&p="), .page]),
      ("Bearer {env:_T1}", .header, [.literal("Bearer "), .environment("_T1")]),
      ("plain", .source, [.literal("plain")]),
      ("", .header, []),
    ] as [(String, Template.Use, [Template.Part])])
  func reads(text: String, use: Template.Use, parts: [Template.Part]) throws {
    let template = try Template(parsing: text, for: use)
    #expect(template.parts == parts)
    #expect(template.description == text)
  }

  @Test(
    "an invalid template is refused with the position",
    arguments: [
      ("a{b", Template.Use.item, "the { at character 2 is never closed"),
      ("a{b{c}", .item, "the { at character 2 is never closed"),
      ("{\"a}", .item, "the { at character 1 is never closed"),
      ("a}b", .item, "the } at character 2 has no { before it"),
      ("a{}", .item, "nothing is in the braces at character 2"),
      ("a{ }", .source, "nothing is in the braces at character 2"),
      ("a{b..c}", .item, "at character 2: “b..c” is not a path: there is no key at character 3"),
      ("{env:HOME}", .item, "{env:HOME} at character 1 would store a secret with each offer"),
      ("{env:}", .source, "{env:} at character 1 names no environment variable"),
      ("{env:1A}", .source, "{env:1A} at character 1 names no environment variable"),
      ("{env:A-B}", .header, "{env:A-B} at character 1 names no environment variable"),
      ("{id}", .source, "{id} at character 1 is unknown here"),
      ("{query}", .source, "{query} at character 1 is for a search"),
    ])
  func refuses(text: String, use: Template.Use, problem: String) {
    let error = #expect(throws: OffersError.self) { try Template(parsing: text, for: use) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
  }

  @Test("a misspelled placeholder is corrected in the hint")
  func suggests() {
    let error = #expect(throws: OffersError.self) {
      try Template(parsing: "?q={qurey}", for: .search)
    }
    #expect(error?.hint?.text == "Did you mean query? Allowed: query, page, env:NAME.")
  }

  @Test("a template knows whether it needs a page or a query")
  func knowsNeeds() throws {
    let search = try Template(parsing: "{query}", for: .search)
    #expect(search.hasQuery && !search.hasPage)
    let source = try Template(parsing: "{page}", for: .source)
    #expect(source.hasPage && !source.hasQuery)
  }
}
