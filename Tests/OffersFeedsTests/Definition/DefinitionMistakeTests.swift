import OffersCore
import OffersFeeds
import Testing

@Suite("Mistakes in definition files")
struct DefinitionMistakeTests {
  /// A file with a mistake, the line of the mistake, the message and part of the hint.
  struct Mistake: Sendable, CustomTestStringConvertible {
    let text: String
    let line: Int
    let message: String
    let hint: String?

    init(_ text: String, _ line: Int, _ message: String, _ hint: String? = nil) {
      (self.text, self.line, self.message, self.hint) = (text, line, message, hint)
    }

    /// A feed with valid lines 3 and 4, and the given lines from line 5 on.
    static func feed(
      _ lines: String, _ line: Int, _ message: String, _ hint: String? = nil
    ) -> Mistake {
      let more = lines.split(separator: "\n").map { "\n    \($0)" }.joined()
      return Mistake(
        "feeds:\n  x:\n    id: id\n    title: X" + more + "\n    fields: {name: n}\n", line,
        message,
        hint)
    }

    /// A feed with valid fields up to line 5, and the given fields from line 6 on.
    static func field(
      _ lines: String, _ line: Int, _ message: String, _ hint: String? = nil
    ) -> Mistake {
      let more = lines.split(separator: "\n").map { "\n      \($0)" }.joined()
      return Mistake(
        "feeds:\n  x:\n    id: id\n    fields:\n      name: n" + more, line, message, hint)
    }

    var testDescription: String { text }
  }

  private func check(_ mistake: Mistake) {
    let error = #expect(throws: OffersError.self) {
      try DefinitionFile.parse(mistake.text, name: "feeds.yaml")
    }
    #expect(error?.code == .invalidRequest)
    let expected = "feeds.yaml:\(mistake.line): \(mistake.message)"
    #expect(error?.message.hasPrefix(expected) == true, "\(error?.message ?? "")")
    if let hint = mistake.hint {
      #expect(error?.hint?.text.contains(hint) == true, "\(error?.hint?.text ?? "")")
    }
  }

  @Test(
    "a file with another structure is refused",
    arguments: [
      Mistake("", 1, "the file holds nothing.", "feeds:"),
      Mistake("# only a comment\n", 1, "the file holds nothing."),
      Mistake("---\n", 1, "the file holds nothing."),
      Mistake("- a\n", 1, "the file is a list, not a mapping."),
      Mistake("hello\n", 1, "the file is a text, not a mapping."),
      Mistake("{}", 1, "“feeds” is missing."),
      Mistake("feed: {}", 1, "“feed” is unknown here.", "Did you mean feeds?"),
      Mistake("\nfeeds: [a]", 2, "“feeds” is a mapping of names to values, not a list."),
      Mistake("feeds:\n", 1, "“feeds” is a mapping of names to values, not nothing."),
      Mistake("feeds: {}\nversion: 1", 2, "“version” is unknown here."),
      Mistake("feeds:\n  x: y", 2, "“x” is a mapping of names to values, not a text."),
      Mistake("feeds:\n  X: {}", 2, "“X” is not a valid feed name."),
      Mistake("feeds:\n  a_b: {}", 2, "“a_b” is not a valid feed name."),
      Mistake("feeds:\n  -a: {}", 2, "“-a” is not a valid feed name."),
      Mistake("feeds:\n  '': {}", 2, "“” is not a valid feed name."),
      Mistake(
        "feeds:\n  \(String(repeating: "a", count: 64)): {}", 2,
        "“\(String(repeating: "a", count: 64))” is not a valid feed name."),
      Mistake("feeds: {}\n---\nfeeds: {}", 3, "a second YAML document begins here", "---"),
      Mistake("feeds:\n  [a]: {}", 2, "a key is a text, not a list or a mapping."),
      Mistake("feeds:\n  x:\n    <<: {a: b}", 3, "“<<” does not merge mappings here.", "alias"),
    ])
  func refusesShape(mistake: Mistake) { check(mistake) }

  @Test(
    "a missing or duplicate key is refused",
    arguments: [
      Mistake("feeds:\n  x: {fields: {name: n}}", 2, "the feed “x” has no id.", "made-from"),
      Mistake("feeds:\n  x: {id: id}", 2, "the feed “x” has no fields."),
      Mistake("feeds:\n  x: {}", 2, "the feed “x” has no id."),
      Mistake("feeds:\n  x:\n    id: id\n    fields: {}", 4, "the fields of “x” lack a name."),
      Mistake(
        "feeds:\n  x:\n    id: id\n    id: key\n", 4, "“id” is a duplicate; it is in line 3"),
      Mistake(
        "feeds:\n  x:\n    id: id\n    # id\n    'id': key\n", 5, "“id” is a duplicate"),
      Mistake(
        "feeds:\n  x: {id: id, fields: {name: n}}\n  y: {}\n  x: {}", 4,
        "“x” is a duplicate; it is in line 2"),
      Mistake("feeds:\n  x: {id: a, id: b}", 2, "“id” occurs twice in the same mapping."),
      Mistake.field("link: a\nimage: b\nlink: c", 8, "“link” is a duplicate; it is in line 6"),
    ])
  func refusesMissing(mistake: Mistake) { check(mistake) }

  @Test(
    "an unknown key is refused",
    arguments: [
      Mistake.field(
        "desciption: d", 6, "“desciption” is not a field.", "Did you mean description? F"),
      Mistake.field("image_url: d", 6, "“image_url” is not a field.", "Did you mean image?"),
      Mistake.field("url: d", 6, "“url” is not a field.", "Did you mean link?"),
      Mistake.field("lat: d", 6, "“lat” is not a field.", "Did you mean latitude?"),
      Mistake.field("currency: USD", 6, "“currency” is not a field.", "beside fields:"),
      Mistake.field("attributes: {A: b}", 6, "“attributes” is not a field.", "beside fields:"),
      Mistake.field("zzzzzz: d", 6, "“zzzzzz” is not a field.", "Fields: name, description, terms"),
      Mistake.feed("sorce: x", 5, "“sorce” is unknown here.", "Did you mean source?"),
      Mistake.feed("name: x", 5, "“name” is a field, but not in its place.", "fields:"),
      Mistake.feed("pages: {nxt: a}", 5, "“nxt” is unknown in “pages”.", "Did you mean next?"),
      Mistake.field("terms: {form: a}", 6, "“form” is unknown in “terms”.", "Did you mean from?"),
      Mistake.field(
        "terms:\n  from: a\n  joins: b", 8, "“joins” is unknown in “terms”.", "Did you mean join?"),
      Mistake.field("link: {title}", 6, "“link” is a mapping with the key “title”.", "\"{title}\""),
      Mistake(
        "feeds:\n  x:\n    id: {madefrom: [a]}", 3, "“madefrom” is unknown in “id”.",
        "Did you mean made-from?"),
      Mistake("feeds:\n  x:\n    id: {made-from: a, as: text}", 3, "“as” cannot be combined with"),
    ])
  func refusesUnknown(mistake: Mistake) { check(mistake) }

  @Test(
    "an invalid value of a key is refused",
    arguments: [
      Mistake.feed("source: [a]", 5, "“source” is a text, not a list."),
      Mistake.feed("source:", 5, "“source” has no value."),
      Mistake.feed("source: ~", 5, "“source” has no value."),
      Mistake.feed("source: null", 5, "“source” has no value."),
      Mistake.feed("source: ' '", 5, "“source” is empty."),
      Mistake.feed("source: \"a\\nb\"", 5, "“source” has a line break"),
      Mistake.feed("source: a{id}", 5, "“a{id}” is not a template: {id} at character 2 is unknown"),
      Mistake.feed("search: https://x/", 5, "“search” lacks {query}.", "?q={query}"),
      Mistake.feed("search: 'x{query'", 5, "“x{query” is not a template: the { at character 2"),
      Mistake.feed("every: 6", 5, "“6” is not an interval between syncs.", "30m"),
      Mistake.feed("every: 90s", 5, "“90s” is not an interval between syncs."),
      Mistake.feed("every: -1h", 5, "“-1h” is not an interval between syncs."),
      Mistake.feed("every: 0m", 5, "“0m” is too short an interval between syncs."),
      Mistake.feed("every: 999w", 5, "“999w” is too long an interval between syncs."),
      Mistake.feed("every: 99999999999999999999w", 5, "“99999999999999999999w” is too long"),
      Mistake.feed("hold: 6", 5, "“6” is not a time for which removals are held back.", "never"),
      Mistake.feed("hold: ever", 5, "“ever” is not a time for which removals are held back."),
      Mistake.feed("layout: tile", 5, "“tile” is not a layout.", "Did you mean tiles?"),
      Mistake.feed(
        "layout: carousel", 5, "“carousel” is not a layout.", "grid, tiles, rows, covers"),
      Mistake.feed("noun: 7 albums", 5, "“noun” is not a noun.", "such as album"),
      Mistake.feed("nouns: geese", 5, "“nouns” is the plural of a “noun”, which is missing."),
      Mistake.feed("byline: Artist", 5, "“Artist” is not the label of an attribute."),
      Mistake.feed("layot: rows", 5, "“layot” is unknown here.", "Did you mean layout?"),
      Mistake.feed("format: jsn", 5, "“jsn” is not a format.", "Did you mean json?"),
      Mistake.feed(
        "format: excel", 5, "“excel” is not a format.", "json, ndjson, xml, csv, json-ld."),
      Mistake.feed("delimiter: ab", 5, "“ab” is not a delimiter.", "or tab"),
      Mistake.feed("delimiter: x", 5, "“x” is not a delimiter."),
      Mistake.feed("header: []", 5, "“header” is an empty list."),
      Mistake.feed(
        "encoding: latn1", 5, "“latn1” is not a supported character encoding.",
        "Did you mean latin1?"),
      Mistake.feed("currency: usd", 5, "“usd” is not a currency code.", "Did you mean USD?"),
      Mistake.feed("currency: dollars", 5, "“dollars” is not a currency code.", "such as USD"),
      Mistake.feed("selection: maybe", 5, "“selection” is true or false, not “maybe”."),
      Mistake.feed("items: []", 5, "“items” is an empty list."),
      Mistake.feed("items: [a, {b: c}]", 5, "“items” is a text, not a mapping."),
      Mistake.feed("items: a..b", 5, "“a..b” is not a path: there is no key at character 3."),
      Mistake.feed("items: 'a[type=b].c'", 5, "“a[type=b].c” cannot lead to items", "indexes"),
      Mistake.feed("items: 'a[-1].c'", 5, "“a[-1].c” cannot lead to items", "groups[0].offers"),
      Mistake.feed("items: '@key'", 5, "“@key” is the key of an item"),
      Mistake.feed("pages: {limit: 0}", 5, "“limit” is a whole number from 1 to 10000, not “0”."),
      Mistake.feed("pages: {first: x}", 5, "“first” is a whole number from 0 to"),
      Mistake.feed("pages: 3", 5, "“pages” is a mapping of names to values, not a text."),
      Mistake.feed("headers: {'a b': c}", 5, "“a b” is not a valid header name."),
      Mistake.feed("headers: {Host: c}", 5, "the header “Host” cannot be set."),
      Mistake.feed("headers:\n  A: b\n  a: c", 7, "the header “a” is a duplicate."),
      Mistake.feed("headers: {A: '{id}'}", 5, "“{id}” is not a template: {id} at character 1"),
      Mistake.feed("error: a[", 5, "“a[” is not a path: the [ at character 2 is never closed."),
      Mistake.feed("attributes: {'': a}", 5, "a label is a text of 1 to 100 characters."),
      Mistake.feed("attributes: [a]", 5, "“attributes” is a mapping"),
      Mistake.feed("shared: {C: '@key'}", 5, "“@key” is the key of an item"),
      Mistake.feed("shared: {C: '{@key}'}", 5, "“{@key}” is the key of an item"),
      Mistake("feeds:\n  x:\n    title: [a, b]", 3, "“title” is a text, or the path of one"),
      Mistake("feeds:\n  x:\n    title: {from: }", 3, "“title” has no value."),
      Mistake("feeds:\n  x:\n    id: {text: a}", 3, "a constant cannot identify an offer."),
      Mistake("feeds:\n  x:\n    id: {made-from: []}", 3, "“made-from” is an empty list."),
    ])
  func refusesValue(mistake: Mistake) { check(mistake) }

  @Test(
    "an invalid rule of a field is refused",
    arguments: [
      Mistake.field("link: a[0", 6, "“a[0” is not a path: the [ at character 2 is never closed."),
      Mistake.field("link: '{a..b}'", 6, "In “{a..b}” at character 1: “a..b” is not a path"),
      Mistake.field(
        "link: 'x{a'", 6, "“x{a” is not a template: the { at character 2 is never closed."),
      Mistake.field("link: 'x}'", 6, "“x}” is not a path: the } at character 2"),
      Mistake.field(
        "link: 'x{env:HOME}'", 6, "“x{env:HOME}” is not a template: {env:HOME}", "headers"),
      Mistake.field("link: []", 6, "“link” is an empty list."),
      Mistake.field("link: [a, [b]]", 6, "“link” has a list within a list."),
      Mistake.field("link: {as: link}", 6, "“link” has no source.", "from:"),
      Mistake.field("link: {from: a, text: b}", 6, "“text” cannot be combined with “from”."),
      Mistake.field("link: {text: [b]}", 6, "“text” is a text, not a list."),
      Mistake.field(
        "link: {from: a, as: txt}", 6, "“txt” is not a type to read as.", "Did you mean text?"),
      Mistake.field("link: {from: a, limit: -1}", 6, "“limit” is a whole number"),
      Mistake.field("link: {from: a, currency: USD}", 6, "“currency” belongs to a reward"),
      Mistake.field("reward: {from: a, currency: eur}", 6, "“eur” is not a currency code."),
      Mistake.field(
        "reward: {from: a, currency: {of: b}}", 6, "“currency” is a code, or the path of"),
      Mistake.field("link:\n  - a\n  - b[x]", 8, "“b[x]” is not a path"),
      Mistake.field("link:\n  from: a[\n  as: x", 7, "“a[” is not a path"),
      Mistake.field("link:\n  as: x\n  from: a[", 7, "“x” is not a type to read as."),
      Mistake.field("link:", 6, "“link” has no value."),
    ])
  func refusesRule(mistake: Mistake) { check(mistake) }

  private static let key = "is the key that a * in items: matches"

  @Test(
    "contradictory settings are refused",
    arguments: [
      Mistake("feeds:\n  x:\n    id: {from: a, limit: 8}", 3, "an id has no “limit”"),
      Mistake("feeds:\n  x:\n    id: [a, {from: b, as: html}]", 3, "“id” cannot be read as html."),
      Mistake("feeds:\n  x:\n    id: {from: a, as: date}", 3, "“id” cannot be", "text, link."),
      Mistake("feeds:\n  x:\n    id: $.a", 3, "“$.a” is the same for all offers", "id: id"),
      Mistake("feeds:\n  x:\n    id: \"{$.a}-{$.b}\"", 3, "“{$.a}-{$.b}” is the same for all"),
      Mistake("feeds:\n  x:\n    id: {made-from: [a, $.b]}", 3, "“$.b” is the same for all offers"),
      Mistake(
        "feeds:\n  x:\n    id:\n      made-from: [a, b.c,\n       '\"a\"']", 5,
        "“a” occurs twice in"),
      Mistake("feeds:\n  x:\n    id: '@key'", 3, "“@key” \(key), and there is none.", "stores.*"),
      Mistake("feeds:\n  x:\n    id: {made-from: [a, '@key']}", 3, "“@key” \(key)"),
      Mistake("feeds:\n  x:\n    id: 'a{@key}'\n    items: a", 3, "“a{@key}” \(key)"),
      Mistake(
        "feeds:\n  x:\n    items: [a.*, b]\n    id: '@key2'", 4, "“@key2” \(key), and there are"),
      Mistake.field("attributes: {}\nlink: '@key'", 6, "“attributes” is not a field."),
      Mistake.field("link: '@key'", 6, "“@key” \(key)"),
      Mistake.field("reward: {from: a, currency: {from: '@key'}}", 6, "“@key” \(key)"),
      Mistake.feed("attributes: {A: '@key'}", 5, "“@key” \(key)"),
      Mistake.feed("pages: {next: a, total: b}", 5, "“next” and “total” cannot be combined."),
      Mistake.feed("pages:\n  total: b\n  next: link-header", 7, "“next” and “total” cannot"),
      Mistake.feed(
        "source: https://x/\npages:\n  limit: 3\n  total: b", 8, "“total” says how many",
        "?page={page}"),
      Mistake.field(
        "latitude: {from: a, as: date}", 6, "“latitude” cannot be read as date.", "text."),
      Mistake.field(
        "expires: {from: a, as: html}", 6, "“expires” cannot be", "Allowed: date, text."),
      Mistake.field("image: [{from: a, as: date}]", 6, "“image” cannot be read as date."),
      Mistake.field("reward: {from: a, as: link}", 6, "“reward” cannot be read as link."),
      Mistake.feed(
        "encoding: windows-1522", 5, "“windows-1522” is not a supported", "mean windows-1252?"),
      Mistake.feed(
        "encoding: iso-8859-l", 5, "“iso-8859-l” is not a supported", "Did you mean ISO-8859-"),
      Mistake.feed(
        "encoding: klingon", 5, "“klingon” is not a supported", "Encodings: UTF-8, UTF-16"),
      Mistake.feed("source: ftp://x/", 5, "“source” has the scheme “ftp”, which", "https:// or"),
      Mistake.feed("source: htps://x/", 5, "“source” has the scheme “htps”", "Did you mean https?"),
      Mistake.feed("source: https:/x/", 5, "“source” has the scheme “https:”", "https://"),
      Mistake.feed("source: file:///x", 5, "“source” has the scheme “file”", "a file is a path"),
      Mistake.feed("search: s3://x/{query}", 5, "“search” has the scheme “s3”"),
      Mistake.feed("currency: XXX", 5, "“XXX” is not a currency of ISO 4217.", "such as USD"),
      Mistake.feed("currency: XTS", 5, "“XTS” is not a currency of ISO 4217."),
      Mistake.feed("currency: XAU", 5, "“XAU” is not a currency of ISO 4217."),
      Mistake.field("reward: {from: a, currency: QQQ}", 6, "“QQQ” is not a currency of ISO 4217."),
    ])
  func refusesNonsense(mistake: Mistake) { check(mistake) }

  @Test(
    "similar but valid settings are accepted",
    arguments: [
      "id: '{$.shop.id}-{id}'", "id: {from: id, as: link}", "items: 'a.*.*'\nid: '@key2'",
      "items: [a, 'b.*']\nid: ['@key', id]", "id: '\"@key\"'", "id: {made-from: [a, b]}",
      "id: id\nsource: 'https://x/?p={page}'\npages: {total: n}", "id: id\npages: {total: n}",
      "id: id\nsource: 'x'\nsearch: 'https://x/{query}/{page}'\npages: {total: n}",
      "id: id\nsource: HTTPS://x/", "id: id\nsource: '{env:BASE}/a'", "id: id\nsource: 'a:b.json'",
      "id: id\nsource: /a/b.json", "id: id\nsource: ./a.json", "id: id\nencoding: Latin1",
      "id: id\nencoding: shift_jis", "id: id\ncurrency: JPY",
    ])
  func takesTheRest(lines: String) throws {
    let more = lines.split(separator: "\n").map { "    \($0)\n" }.joined()
    let text = "feeds:\n  x:\n    fields: {name: n}\n" + more
    #expect(try DefinitionFile.parse(text, name: "f").count == 1)
  }

  @Test(
    "invalid YAML is refused",
    arguments: [
      Mistake("feeds:\n\tx: {}", 2, "the line is indented with a tab.", "spaces"),
      Mistake("feeds:\n  x:\n  \tid: id", 3, "the line is indented with a tab."),
      Mistake("feeds:\n  x: {id: id\n", 2, "this is not valid YAML:"),
      Mistake("feeds:\n  x:\n    items: *", 3, "this is not valid YAML:", "begins with * or &"),
      Mistake("feeds:\n  x:\n    id: *id", 3, "this is not valid YAML:", "begins with *"),
      Mistake("feeds:\n  x:\n    id: @key", 3, "this is not valid YAML:", "begins with @"),
      Mistake(
        "feeds:\n  x: {from: genres[*].name}", 2, "this is not valid YAML:", "genres[*].name"),
      Mistake("feeds:\n  x:\n    items: [0].name", 3, "this is not valid YAML:", "quoted"),
      Mistake("feeds:\n  x:\n    id: {a} {b}", 3, "this is not valid YAML:", "quoted"),
      Mistake("feeds:\n  x:\n    title: A: B", 3, "this is not valid YAML:", "quoted"),
      Mistake("feeds:\n  x:\n    title: \"A", 3, "this is not valid YAML:"),
      Mistake("feeds:\n  x:\n   id: a\n  b", 4, "this is not valid YAML:"),
      Mistake("feeds:\n  x: \u{1}", 2, "this is not text for YAML:"),
      Mistake("feeds: \u{0}\n", 1, "this is not text for YAML:"),
    ])
  func refusesSyntax(mistake: Mistake) { check(mistake) }

  @Test("the first of several mistakes is reported")
  func tellsFirst() {
    check(.feed("every: 6\nsorce: x", 5, "“6” is not an interval"))
    check(.feed("sorce: x\nevery: 6", 5, "“sorce” is unknown"))
    check(.field("lnk: a\nimage: a[", 6, "“lnk” is not a field."))
    check(.field("image: a[\nlnk: a", 6, "“a[” is not a path"))
    check(Mistake("feeds:\n  a:\n    every: x\n  B: {}", 3, "“x” is not an interval"))
  }
}
