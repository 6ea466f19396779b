import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Definitions written as YAML")
struct DefinitionTextTests {
  private func expectRoundTrip(
    _ definition: FeedDefinition, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = DefinitionText.yaml(for: definition)
    let again = try DefinitionFile.parse(text, name: "written.yaml")
    #expect(again == [definition], "\(text)", sourceLocation: sourceLocation)
    #expect(again.first.map(DefinitionText.yaml) == text, sourceLocation: sourceLocation)
  }

  @Test("a definition is written in the style of the shipped files")
  func writesNicely() throws {
    let text = """
      feeds:
        x:
          title: {from: [feed.title, title]}
          layout: covers
          source: https://x.example/{page}?k={env:KEY}
          public-only: true
          every: 6h
          hold: never
          format: json
          encoding: windows-1252
          items: [feed.results, 'results[0].list']
          id: {made-from: [name, location.address]}
          currency: USD
          from-text: false
          fields:
            name: [title, {from: body, as: html, limit: 80}]
            description: {from: [summary, body], as: html}
            terms: {text: 'Ask: in {the} shop'}
            reward: {from: price, currency: {from: code}, percent: kind}
            image: https://img.example{path}
            link:
            - https://a-rather-long-address.example/of/a/shop/{id}
            - https://another-rather-long-address.example/of/a/shop/{id}
            expires: until
          attributes:
            Genre: {from: 'genres[*].name', join: ' / '}
            Yes: '@{handle}'
          shared:
            Copyright: feed.copyright
          selection: true
          pages: {next: link-header, first: 0, limit: 3}
          search: https://x.example/?q={query}
          headers:
            Authorization: Bearer {env:TOKEN}
          error: status_message

      """
    let definition = try DefinitionFile.parse(text, name: "f")[0]
    #expect(DefinitionText.yaml(for: definition) == text)
  }

  @Test("the nodes of a definition do not depend on the style of its YAML")
  func writesNodes() throws {
    let texts = [
      "feeds: {x: {id: key, fields: {name: [title, {text: 'a b'}], terms: {text: Free}}}}",
      """
      feeds:
        x:
          fields:
            terms:
              text: "Free"
            name:
            - title
            - text: >-
                a
                b
          id: 'key'

      """,
    ]
    for text in texts {
      let definition = try DefinitionFile.parse(text, name: "f")[0]
      // Stored hashes depend on these very bytes.
      let nodes =
        "{1:1:x{2:2:id3:key6:fields{2:4:name[2:5:title{1:4:text3:a b5:terms{1:4:text4:Free"
      #expect(DefinitionText.nodes(of: definition) == nodes)
    }
  }

  @Test("definitions with the same texts in another structure have other nodes")
  func distinguishesNodes() throws {
    let fields = [
      "name: [a, b]", "name: {text: 'a1:b'}", "name: a, terms: b", "name: {text: 'a5:terms1:b'}",
      "name: {from: a, limit: 80}", "name: {text: 'a5:limit2:80'}", "name: {text: a}", "name: a",
    ]
    let nodes = try fields.map { field in
      DefinitionText.nodes(
        of: try DefinitionFile.parse("feeds: {x: {id: k, fields: {\(field)}}}", name: "f")[0])
    }
    #expect(Set(nodes).count == fields.count)
  }

  /// Texts that YAML would parse as another type or fail on without quotes.
  private static let texts = [
    "a", "true", "No", "null", "~", "5", "1.5", "2024-01-01", "1e3", "0x1F", "-", "- a", "-a", "?",
    "? a", ": a", "a:", "a: b", "a:b", "a #b", "a#b", "#a", "'a'", "\"a\"", "it's", "a \"b\" c",
    "a\\b", "[a]", "{a}", "a, b", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", " a", "a ", "a\nb",
    "a\r\nb", "\ttab", "a\tb", "é ü 漢字", "👩‍👩‍👧", "\u{A0}x\u{A0}", "a\u{85}b", "a\u{2028}b",
    "a\u{FEFF}", "\u{1}", "\u{7F}", "---", "...", "--- a", "<<", "=", "{{a}}", "a{b}c", "y",
    "\\n", "'", "\"", "''", ",", "a]", "a}", "x: {y}", String(repeating: "long ", count: 60) + "x",
  ]

  @Test("any text survives as a title, constant, label and separator")
  func keepsTexts() throws {
    for text in Self.texts {
      let rule = FieldRule(alternatives: [
        FieldRule.Alternative(.path(FieldPath(keys: [text])), join: text)
      ])
      try expectRoundTrip(
        FeedDefinition(
          name: "x", title: TextRule(.constant(text)),
          id: .madeFrom([FieldPath(keys: [text, "b"])]),
          fields: [.name: FieldRule(.constant(text)), .terms: rule],
          attributes: [AttributeRule(label: text, rule: rule)].filter { _ in text.count <= 100 }))
    }
  }

  @Test("any text survives in a template and in a header")
  func keepsTemplates() throws {
    for text in Self.texts {
      let template = Template([.literal(text), .path(FieldPath(keys: ["a.b", text]))])
      let isOneLine = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
      let header = Template([.literal(text), .environment("TOKEN")])
      try expectRoundTrip(
        FeedDefinition(
          name: "x", title: TextRule(.constant("x")),
          headers: isOneLine ? [RequestHeader(name: "X-A", value: header)] : [],
          id: .value(FieldRule(.template(template))),
          fields: [
            .name: FieldRule(alternatives: [
              FieldRule.Alternative(.template(template)),
              FieldRule.Alternative(.template(template), reading: .html),
            ])
          ]))
    }
  }

  @Test("any path survives, from the item and from the document")
  func keepsPaths() throws {
    let paths = try [
      "a", "a.b", "[0]", "*", "*[*].a", "a[*].b", "a[-1]", "a[rel=self].b", "a[@h=\"x y\"]",
      "@key2",
      "\"@key\"", "@href", "\"$a\"", "$.a.b", "$", ".", "\"a{b\"", "\"a.b\".'c'", "null", "true",
      "link-header", "a: b", "\"env:A\"",
    ].map { try FieldPath(parsing: $0) }
    let twoKeys = FieldPath(isFromDocument: true, [.all, .all])
    for path in paths {
      var fromRoot = path
      if path.steps.contains(where: { if case .ownKey = $0 { true } else { false } }) {
        fromRoot = .root
      }
      fromRoot.isFromDocument = true
      try expectRoundTrip(
        FeedDefinition(
          name: "x", title: TextRule(.path(fromRoot)),
          items: fromRoot.canSelectItems ? [fromRoot, twoKeys] : [twoKeys],
          pages: PageRule(next: .path(fromRoot)), error: [fromRoot],
          id: .value(FieldRule(.path(path.isFromDocument ? .itself : path))),
          fields: [
            .name: FieldRule(.path(path)),
            .reward: FieldRule(alternatives: [
              FieldRule.Alternative(.path(path), currency: .path(path)),
              FieldRule.Alternative(.path(path), currency: .constant("EUR")),
            ]),
          ],
          shared: [
            AttributeRule(
              label: "A", rule: FieldRule(.template(Template([.literal("x"), .path(fromRoot)]))))
          ]))
    }
  }

  /// The rule with all paths starting at the document.
  private func fromRoot(_ rule: FieldRule) -> FieldRule {
    FieldRule(
      alternatives: rule.alternatives.map { alternative in
        var alternative = alternative
        switch alternative.value {
        case .path(let path):
          alternative.value = .path(FieldPath(isFromDocument: true, path.steps))
        case .template: alternative.value = .template(Template([.path(.root), .literal("x")]))
        case .constant: break
        }
        return alternative
      })
  }

  @Test("all combinations of a rule's options survive")
  func keepsOptions() throws {
    let values: [ValueRule] = [
      .path(FieldPath(keys: ["a"])), .constant("c"), .template(Template([.path(.itself)])),
    ]
    var alternatives: [FieldRule.Alternative] = []
    for value in values {
      for reading in Reading.allCases where reading != .image {
        for limit in [nil, 9] {
          alternatives.append(
            FieldRule.Alternative(value, reading: reading, limitCharacters: limit))
        }
      }
    }
    for first in alternatives {
      for second in alternatives {
        let rule = FieldRule(alternatives: [first, second])
        try expectRoundTrip(
          FeedDefinition(
            name: "x", title: fromRoot(rule), id: .value(FieldRule(.path(FieldPath(keys: ["id"])))),
            fields: [.name: rule, .terms: rule],
            shared: [AttributeRule(label: "A", rule: fromRoot(FieldRule(alternatives: [first])))]))
      }
    }
  }

  @Test("a minimal feed takes five lines")
  func writesLeast() throws {
    let definition = FeedDefinition(
      name: "x", id: .value(FieldRule(.path(FieldPath(keys: ["id"])))),
      fields: [.name: FieldRule(.path(FieldPath(keys: ["title"])))])
    let text = "feeds:\n  x:\n    id: id\n    fields:\n      name: title\n"
    #expect(DefinitionText.yaml(for: definition) == text)
    try expectRoundTrip(definition)
  }

  @Test(
    "an interval is written in its largest unit",
    arguments: [
      (60, "1m"), (3600, "1h"), (5400, "90m"), (86_400, "1d"), (604_800, "1w"), (61, "2m"),
      (0, "1m"),
    ])
  func writesIntervals(seconds: Int, text: String) throws {
    let definition = FeedDefinition(
      name: "x", title: TextRule(.constant("x")), everySeconds: seconds, id: .madeFrom([.itself]),
      fields: [.name: FieldRule(.path(.itself))])
    #expect(DefinitionText.yaml(for: definition).contains("    every: \(text)\n"))
  }
}
