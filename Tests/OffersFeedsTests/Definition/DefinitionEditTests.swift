import OffersCore
import OffersFeeds
import Testing

@Suite("Edits of a user's definition file")
struct DefinitionEditTests {
  private static let teaFile = DefinitionText.yaml(
    for: FeedDefinition(
      name: "tea", id: .value(FieldRule(.path(FieldPath(keys: ["id"])))),
      fields: [.name: FieldRule(.path(FieldPath(keys: ["title"])))]))
  /// The same feed as part of a file, indented by two spaces.
  private static let teaLines = "  tea:\n    id: id\n    fields:\n      name: title\n"
  private static let jam = "  jam: {id: id, fields: {name: n}}\n"
  private static let oil = "  oil:\n    id: id\n    fields: {name: n}\n"

  private static func crlf(_ text: String) -> String { text.replacing("\n", with: "\r\n") }

  @Test("a new file holds the feed alone", arguments: [nil, "", " \n", "\r\n\r\n"])
  func makesFile(yaml: String?) throws {
    let made = try DefinitionEdit.adding(Self.teaFile, to: yaml, name: "f")
    #expect(made == "feeds:\n" + Self.teaLines)
  }

  @Test("the comment above a definition is added and removed with it")
  func keepsComment() throws {
    let file = "# Tea, of all\n#   sorts\n" + Self.teaFile
    let lines = "  # Tea, of all\n  #   sorts\n" + Self.teaLines
    #expect(try DefinitionEdit.adding(file, to: nil, name: "f") == "feeds:\n" + lines)
    let before = "# Mine\nfeeds:\n\(Self.jam)intervals:\n  ibotta: 2h\n"
    let after = try DefinitionEdit.adding(file, to: before, name: "f")
    #expect(after == before.replacing(Self.jam, with: Self.jam + lines))
    #expect(try DefinitionEdit.removing("tea", from: after, name: "f") == before)
  }

  private static let additions: [(before: String, after: String)] = [
    ("feeds: {}\n", "feeds:\nTEA"),
    ("intervals:\n  ibotta: 2h\n", "intervals:\n  ibotta: 2h\nfeeds:\nTEA"),
    ("feeds: {} # mine\n# more\n", "feeds: # mine\nTEA# more\n"),
    ("feeds:\n", "feeds:\nTEA"),
    ("feeds: ~", "feeds:\nTEA"),
    ("feeds:\n  # none yet\n", "feeds:\nTEA  # none yet\n"),
    ("# only\n\n# comments\n", "# only\n\n# comments\nfeeds:\nTEA"),
    ("---\n# a\n", "---\n# a\nfeeds:\nTEA"),
    ("allow-private-network: true\n", "allow-private-network: true\nfeeds:\nTEA"),
    ("allow-private-network: true", "allow-private-network: true\nfeeds:\nTEA"),
    ("feeds: {}\nallow-private-network: true\n", "feeds:\nTEAallow-private-network: true\n"),
    ("feeds:\nallow-private-network: true\n", "feeds:\nTEAallow-private-network: true\n"),
    (
      "feeds:\n\(jam)\n# home\nallow-private-network: true\n",
      "feeds:\n\(jam)TEA\n# home\nallow-private-network: true\n"
    ),
    ("---\nfeeds:\n\(jam)...\n", "---\nfeeds:\n\(jam)TEA...\n"),
    ("# a\n...\n", "# a\nfeeds:\nTEA...\n"),
    ("\u{FEFF}feeds: {}\n", "\u{FEFF}feeds:\nTEA"),
    ("\"feeds\":\n\(jam)# end\n", "\"feeds\":\n\(jam)TEA# end\n"),
    ("feeds:\n\(oil)    # of oil\n", "feeds:\n\(oil)    # of oil\nTEA"),
  ]

  @Test(
    "a feed is appended to the others, and the rest of the file is unchanged", arguments: additions)
  func adds(before: String, after: String) throws {
    let expected = after.replacing("TEA", with: Self.teaLines)
    #expect(try DefinitionEdit.adding(Self.teaFile, to: before, name: "f") == expected)
    #expect(
      try DefinitionEdit.adding(Self.teaFile, to: Self.crlf(before), name: "f")
        == (before.hasSuffix("\n") ? Self.crlf(expected) : expected))
  }

  @Test("an added feed has the indentation of the others", arguments: [1, 2, 4])
  func indents(width: Int) throws {
    let margin = String(repeating: " ", count: width)
    let before = "feeds:\n\(margin)jam: {id: id, fields: {name: n}}\n"
    let after = try DefinitionEdit.adding(Self.teaFile, to: before, name: "f")
    #expect(
      after == before
        + Self.teaLines.split(separator: "\n").map { "\(margin)\($0.dropFirst(2))\n" }
        .joined())
  }

  private static let removals: [(before: String, after: String)] = [
    ("feeds:\n\(teaLines)", "feeds: {}\n"),
    ("# mine\nfeeds: # all\n\(teaLines)", "# mine\nfeeds: {} # all\n"),
    (
      "feeds:\n\(teaLines)# home\nallow-private-network: true\n",
      "feeds: {}\n# home\nallow-private-network: true\n"
    ),
    (
      "allow-private-network: true\nfeeds:\n  # of tea\n  # and more\n\(teaLines)  # end\n",
      "allow-private-network: true\nfeeds: {}\n  # end\n"
    ),
    ("feeds:\n\(teaLines)\n\(oil)", "feeds:\n\(oil)"),
    ("feeds:\n\(oil)\n\(teaLines)", "feeds:\n\(oil)"),
    ("feeds:\n\(oil)\n  # tea\n\(teaLines)\n  # jam\n\(jam)", "feeds:\n\(oil)\n  # jam\n\(jam)"),
    ("feeds:\n\(oil)  # apart\n\n\(teaLines)", "feeds:\n\(oil)  # apart\n"),
    ("feeds:\n\(oil)    # of oil\n\(teaLines)", "feeds:\n\(oil)    # of oil\n"),
    ("feeds:\n# tea\n\(teaLines)# jam\n\(jam)", "feeds:\n# jam\n\(jam)"),
    ("---\nfeeds:\n\(teaLines)...\n", "---\nfeeds: {}\n...\n"),
    ("feeds:\n  \"tea\" : {id: id, fields: {name: n}}\n\(jam)", "feeds:\n\(jam)"),
  ]

  @Test(
    "a feed is removed with the comment above it, and the rest of the file is unchanged",
    arguments: removals)
  func removes(before: String, after: String) throws {
    #expect(try DefinitionEdit.removing("tea", from: before, name: "f") == after)
    #expect(
      try DefinitionEdit.removing("tea", from: Self.crlf(before), name: "f") == Self.crlf(after))
    #expect(try DefinitionEdit.removing("soap", from: before, name: "f") == nil)
  }

  @Test("adding and removing a feed restores the file")
  func goesBack() throws {
    for before in ["feeds: {}\n", "# a\nfeeds: {} # b\nallow-private-network: true\n"] {
      let added = try DefinitionEdit.adding(Self.teaFile, to: before, name: "f")
      #expect(try DefinitionEdit.removing("tea", from: added, name: "f") == before)
    }
  }

  private static let intervals: [(before: String?, set: String, gone: String?)] = [
    (nil, "feeds: {}\nintervals:\n  ibotta: 2h\n", nil),
    ("feeds:\n\(jam)", "feeds:\n\(jam)intervals:\n  ibotta: 2h\n", nil),
    (
      "# a\nintervals: # mine\n  albums: 1d\nfeeds: {}\n",
      "# a\nintervals: # mine\n  albums: 1d\n  ibotta: 2h\nfeeds: {}\n", nil
    ),
    (
      "intervals:\n    ibotta: 1d  # often\nfeeds: {}\n",
      "intervals:\n    ibotta: 2h  # often\nfeeds: {}\n", "intervals: {}\nfeeds: {}\n"
    ),
    (
      "intervals: {}\nfeeds: {}\n", "intervals:\n  ibotta: 2h\nfeeds: {}\n",
      "intervals: {}\nfeeds: {}\n"
    ),
    (
      "feeds: {}\nintervals:\n  # How often\n  # we may ask.\n  ibotta: 2d\n  albums: 1d\n",
      "feeds: {}\nintervals:\n  # How often\n  # we may ask.\n  ibotta: 2h\n  albums: 1d\n",
      "feeds: {}\nintervals:\n  # How often\n  # we may ask.\n  albums: 1d\n"
    ),
  ]

  @Test("an interval is changed in place, appended or removed", arguments: intervals)
  func setsIntervals(before: String?, set: String, gone: String?) throws {
    let made = try #require(
      try DefinitionEdit.setting(everySeconds: 7200, of: "ibotta", in: before, name: "f"))
    #expect(made == set)
    #expect(try DefinitionFile.contents(made, name: "f").intervals["ibotta"] == 7200)
    #expect(
      try DefinitionEdit.setting(everySeconds: 7200, of: "ibotta", in: made, name: "f") == nil)
    let back = try DefinitionEdit.setting(everySeconds: nil, of: "ibotta", in: made, name: "f")
    if let gone { #expect(back == gone) }
    #expect(try DefinitionFile.contents(back ?? "", name: "f").intervals["ibotta"] == nil)
    #expect(
      try DefinitionFile.contents(back ?? "", name: "f").feeds
        == DefinitionFile.contents(before ?? "feeds: {}", name: "f").feeds)
  }

  @Test(
    "an invalid interval, or one for an unknown feed, is refused", arguments: [0, 59, 90, -60])
  func refusesIntervals(seconds: Int) {
    #expect(throws: OffersError.self) {
      try DefinitionEdit.setting(everySeconds: seconds, of: "ibotta", in: nil, name: "f")
    }
    let error = #expect(throws: OffersError.self) {
      try DefinitionEdit.setting(
        everySeconds: 7200, of: "ibotta", in: "feeds: {}\nintervals: {albums: 1d}\n", name: "f")
    }
    #expect(error?.message == "f has a layout in which its intervals cannot be changed.")
  }

  @Test("removing a feed removes its interval")
  func takesIntervalOut() throws {
    let yaml = "feeds:\n\(Self.teaLines)intervals:\n  tea: 2h\n"
    #expect(
      try DefinitionEdit.removing("tea", from: yaml, name: "f") == "feeds: {}\nintervals: {}\n")
  }

  @Test(
    "a file with an unusual layout is left for the user to edit",
    arguments: [
      "{feeds: {jam: {id: id, fields: {name: n}}}}", "feeds: {jam: {id: id, fields: {name: n}}}",
      "feeds:\n\(teaLines)",
    ])
  func refusesOtherForms(yaml: String) throws {
    let error = #expect(throws: OffersError.self) {
      try DefinitionEdit.adding(Self.teaFile, to: yaml, name: "f.yaml")
    }
    #expect(error?.message == "f.yaml has a layout to which no feed can be added.")
  }

  @Test("a feed with an anchor that other feeds use is not removed")
  func refusesAnchors() {
    let yaml = "feeds:\n  tea: &a {id: id, fields: {name: n}}\n  jam: *a\n"
    let error = #expect(throws: OffersError.self) {
      try DefinitionEdit.removing("tea", from: yaml, name: "f.yaml")
    }
    #expect(error?.message == "f.yaml has a layout from which tea cannot be removed.")
  }

  @Test("an invalid file is refused with the line of its mistake")
  func tellsMistakes() {
    for yaml in [
      "# a\nfeds: {}\n", "allow-private-network: maybe\n# b\n", "feeds: [a] # b\n",
    ] {
      let error = #expect(throws: OffersError.self) {
        try DefinitionEdit.adding(Self.teaFile, to: yaml, name: "f.yaml")
      }
      #expect(error?.message.hasPrefix(yaml.hasPrefix("#") ? "f.yaml:2: " : "f.yaml:1: ") == true)
    }
  }

  @Test("an edit cannot make a file larger than the limit")
  func boundsSize() {
    let yaml = "feeds: {}\n#" + String(repeating: "x", count: DefinitionFile.limitBytes - 20)
    let error = #expect(throws: OffersError.self) {
      try DefinitionEdit.adding(Self.teaFile, to: yaml, name: "f.yaml")
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message == "f.yaml:1: the file is larger than 1 MiB.")
  }
}
