import OffersCore

/// Proposals of how to get from the first page of an unknown document to the others.
///
/// The document, the response's header fields and the source state that there are pages; parameters of the
/// source, whose usual names are known, lead to them. Only a trial tells which proposal is right.
package struct PagesGuess: Sendable {
  /// A rule for the pages, and the parameters that the source gets for it.
  package struct Candidate: Sendable {
    let rule: PageRule
    let parameters: [(name: String, value: String)]

    /// Returns a definition with the rule and the parameters; nil if its source cannot have them.
    package func applied(to definition: FeedDefinition) -> FeedDefinition? {
      guard let source = definition.source, source.description.contains("://") else { return nil }
      var made = definition
      made.pages = rule == PageRule() ? nil : rule
      if parameters.isEmpty { return made }
      var query = QueryText(source.description)
      for (name, value) in parameters { query.set(name, to: value) }
      guard let changed = try? Template(parsing: query.text, for: .source) else { return nil }
      made.source = changed
      return made
    }
  }

  /// The source and the response of the document.
  package struct Origin: Sendable {
    var source = ""
    /// The header fields of the response, with names in lower case.
    var fields: [String: String] = [:]
    /// Whether the `Link` header has an address with `rel="next"`.
    var hasNextLink = false

    package init(source: String = "", fields: [String: String] = [:], hasNextLink: Bool = false) {
      self.source = source
      self.fields = fields
      self.hasNextLink = hasNextLink
    }
  }

  /// The proposals, the likeliest first.
  package private(set) var candidates: [Candidate] = []
  /// The rule by which a sync tells that there are more offers than it reads, if no proposal is right.
  package private(set) var fallback: PageRule?
  /// What says that another page follows; nil if nothing does.
  private var evidence: (key: String, text: String)?

  /// Whether another page follows for certain.
  package var saysMore: Bool { evidence != nil }

  /// The note for a document of whose pages only the first is read; nil if it is not known to have more.
  package var note: String? {
    evidence.map {
      "There are more pages (\($0.key) is \($0.text.prefix(60))); say how to get them in pages:, or "
        + "write selection: true if this page is enough."
    }
  }

  /// The rule that needs no parameter, if it is the likeliest.
  var plainRule: PageRule? { candidates.first.flatMap { $0.parameters.isEmpty ? $0.rule : nil } }

  /// No proposals.
  init() {}

  /// - Parameters:
  ///   - root: the sample; nil for a table and for JSON lines.
  ///   - items: the path of the offers, below which no statement is searched for.
  ///   - itemCount: the number of items of the document; nil if only its beginning was looked at.
  ///   - kind: the known kind of the document. Of most of them, only addresses of the next page are known.
  init(
    root: SampleValue?, items: [FieldPath.Step], itemCount: Int?, kind: WellKnownKind?,
    from origin: Origin
  ) {
    var statements: [Statement] = []
    if case .object(let object)? = root { Self.walk(object, [], items, &statements) }
    guard kind == nil || kind == .shopify else {
      if origin.hasNextLink { add(PageRule(next: .linkHeader), ("Link", "a next page")) }
      addAddress(statements)
      return
    }
    let query = QueryText(origin.source)
    let count = Self.count(statements, origin, itemCount)
    let more = statements.first { Self.moreNames.contains($0.name) && $0.isFlag }
    addWordPress(origin, query)
    if origin.hasNextLink { add(PageRule(next: .linkHeader), ("Link", "a next page")) }
    let isPagedShop = kind == .shopify && query.path.hasSuffix("/products.json")
    if isPagedShop, !origin.hasNextLink {
      let limit = query.has("limit") ? [] : [("limit", "250")]
      candidates.append(Candidate(rule: PageRule(), parameters: limit + [("page", "{page}")]))
    }
    addAddress(statements)
    addCursors(statements, more, query)
    let stated = PageRule(more: more?.place, count: count?.place)
    addCounted(statements, stated, query, isKnown: more != nil || count != nil)
    if let more {
      if case .truth(true) = more.value { note(more.key, "true") }
      fallback = fallback ?? PageRule(more: more.place)
    }
    if let count, count.number > itemCount ?? .max {
      note(count.key, "\(count.number)")
      fallback = fallback ?? PageRule(count: count.place)
    }
  }

  private mutating func note(_ key: String, _ text: String) {
    evidence = evidence ?? (key, text)
  }

  private mutating func add(_ rule: PageRule, _ evidence: (key: String, text: String)?) {
    candidates.append(Candidate(rule: rule, parameters: []))
    if let evidence { note(evidence.key, evidence.text) }
  }

  /// WordPress counts pages in a header field; a page has at most 100 posts
  /// (https://developer.wordpress.org/rest-api/using-the-rest-api/pagination/).
  private mutating func addWordPress(_ origin: Origin, _ query: QueryText) {
    let name = "x-wp-totalpages"
    guard let pages = origin.fields[name] else { return }
    let size = query.has("per_page") ? [] : [("per_page", "100")]
    candidates.append(
      Candidate(
        rule: PageRule(total: .header(name)), parameters: size + [("page", "{page}")]))
    if Int(pages) ?? 0 > 1 { note("X-WP-TotalPages", pages) }
  }

  private mutating func addAddress(_ statements: [Statement]) {
    let found = statements.filter(\.isAddress)
    guard let best = found.first(where: { $0.value.scalar != nil }) ?? found.first else { return }
    add(PageRule(next: best.place), best.value.scalar.map { (best.key, $0) })
    if best.value.scalar != nil { fallback = PageRule(more: best.place) }
  }

  /// Names of values that a parameter takes to the next page, and the usual names of that parameter.
  private static let cursors: [(name: String, parameters: [String])] = [
    ("nextpagetoken", ["pageToken", "page_token"]), ("nextcursor", ["cursor", "next_cursor"]),
    ("endcursor", ["after", "cursor"]), ("nexttoken", ["nextToken", "next_token", "token"]),
    ("continuationtoken", ["continuationToken", "continuation_token"]),
    ("continuation", ["continuation"]), ("after", ["after"]), ("bookmark", ["bookmark"]),
    ("nextpageid", ["page_id", "pageId"]), ("nextoffset", ["offset"]), ("nextpage", ["page"]),
    ("next", ["cursor", "after", "next", "page", "offset"]), ("cursor", ["cursor"]),
    ("pagetoken", ["pageToken", "page_token"]),
  ]

  private mutating func addCursors(
    _ statements: [Statement], _ more: Statement?, _ query: QueryText
  ) {
    for (name, parameters) in Self.cursors {
      for found in statements where found.name == name && !found.isAddress {
        let text = found.value.scalar
        let isKnown = name.hasPrefix("nextpaget") || name == "nextcursor"
        if text?.isEmpty ?? !isKnown { continue }
        // A parameter of several words is written like the member.
        let isSnake = found.key.contains("_")
        func isLikely(_ parameter: String) -> Bool {
          isSnake ? !parameter.contains(where: \.isUppercase) : !parameter.contains("_")
        }
        let ordered =
          parameters.filter(query.has)
          + parameters.filter { !query.has($0) && isLikely($0) }
          + parameters.filter { !query.has($0) && !isLikely($0) }
        let rule = PageRule(next: found.place, more: more?.place)
        for name in ordered {
          candidates.append(Candidate(rule: rule, parameters: [(name, "{next}")]))
        }
        guard let text else { continue }
        if more == nil, name.hasPrefix("next") { note(found.key, text) }
        fallback = fallback ?? PageRule(more: (more ?? found).place)
      }
    }
  }

  private static let moreNames: Set = [
    "hasmore", "hasnextpage", "hasnext", "hasmorepages", "more", "moreavailable", "moreresults",
    "hasmoreitems", "hasmoreresults",
  ]
  private static let totalNames: Set = [
    "totalpages", "pagecount", "numpages", "lastpage", "totalpage", "numberofpages", "pagestotal",
    "pages", "maxpage", "nbpages",
  ]
  private static let countNames: Set = [
    "total", "totalcount", "count", "totalitems", "totalresults", "totalelements", "totalrecords",
    "totalhits", "numfound", "found", "nbhits", "resultcount", "odatacount", "recordstotal",
    "itemcount", "numresults", "resultstotal", "itemstotal",
  ]
  private static let pageNames = [
    "page", "currentpage", "pagenumber", "pageindex", "pageno", "number", "p", "paged",
  ]
  /// Those of them that are the names of parameters, too.
  private static let parameterNames: Set = ["pagenumber", "pageindex", "pageno"]
  private static let offsetNames = ["offset", "skip", "start", "startindex", "from"]

  /// Proposes to count pages, or the records before them.
  ///
  /// - Parameters:
  ///   - stated: what the pages state about others.
  ///   - isKnown: whether they state that there may be others.
  private mutating func addCounted(
    _ statements: [Statement], _ stated: PageRule, _ query: QueryText, isKnown: Bool
  ) {
    func find(_ names: [String]) -> (parameter: String?, echo: Statement?, first: Int?) {
      let own = query.names.first { names.contains(KeyWords($0).joined) }
      let echo = statements.first { names.contains($0.name) && $0.number != nil }
      return (own, echo, own.flatMap { query.value(of: $0) }.flatMap { Int($0) } ?? echo?.number)
    }
    let page = find(Self.pageNames)
    let offset = find(Self.offsetNames)
    let total = statements.first { Self.totalNames.contains($0.name) && $0.number ?? 0 > 0 }
    var rule = stated
    rule.total = total?.place
    rule.first = page.first == 0 ? 0 : nil
    let echo = page.echo.flatMap { Self.parameterNames.contains($0.name) ? $0.key : nil }
    let names =
      page.parameter.map { [$0] } ?? [echo, "page", page.echo?.bracketed].compactMap(\.self)
    let paged = names.map { Candidate(rule: rule, parameters: [($0, "{page}")]) }
    rule = stated
    rule.first = offset.first == 1 ? 1 : nil
    let shifted = Candidate(
      rule: rule,
      parameters: [(offset.parameter ?? offset.echo?.key ?? "offset", "{offset}")])
    let behind = Candidate(
      rule: PageRule(next: .lastID, more: stated.more), parameters: [("starting_after", "{next}")])
    if let total {
      candidates += paged
      if let number = total.number, number > max(1, page.first ?? 1) {
        note(total.key, "\(number)")
      }
    } else if offset.parameter != nil || offset.echo != nil && isKnown {
      candidates.append(shifted)
    } else if page.parameter != nil || page.echo != nil && isKnown {
      candidates += paged
    } else if isKnown {
      candidates += (stated.more != nil ? [behind] : []) + paged + [shifted]
    }
  }

  /// The number of all offers that the document or a header field states; nil if that is no more than the
  /// document has, and the document states no page or offset.
  private static func count(
    _ statements: [Statement], _ origin: Origin, _ itemCount: Int?
  ) -> (place: PageRule.Place, key: String, number: Int)? {
    var found = statements.compactMap { statement in
      statement.number.flatMap {
        countNames.contains(statement.name) ? (statement.place, statement.key, $0) : nil
      }
    }
    for name in ["x-total-count", "x-wp-total", "x-total"] {
      guard let number = origin.fields[name].flatMap({ Int($0) }) else { continue }
      found.append((.header(name), name, number))
    }
    let isPaged = statements.contains {
      (pageNames + offsetNames).contains($0.name) && $0.number != nil
    }
    // A smaller number counts the records of this page, or something else; an equal one may do so.
    return found.first { $0.2 > itemCount ?? .max }
      ?? (isPaged
        ? found.first { $0.2 == itemCount && KeyWords($0.1).words.contains("total") } : nil)
  }
}

extension PagesGuess {
  /// A value of the document that may say something about its pages.
  private struct Statement {
    let steps: [FieldPath.Step]
    let key: String
    /// The words of the key in lower case, without separators.
    let name: String
    let value: SampleValue
    /// Whether the value is the address of the next page, or a null in its place.
    var isAddress = false

    /// The parameter of a value within an object, as in `pagination[page]`, with the brackets escaped.
    var bracketed: String? {
      guard steps.count > 1, case .key(let container) = steps[steps.count - 2] else { return nil }
      return "\(container)%5B\(key)%5D"
    }
    var place: PageRule.Place { .path(FieldPath(isFromDocument: true, steps)) }
    var number: Int? { value.scalar.flatMap { Int($0) } }
    var isFlag: Bool {
      if case .truth = value { return true }
      return ["true", "false", "0", "1"].contains(value.scalar)
    }
  }

  private static let nextNames: Set = [
    "next", "nextpage", "nexturl", "nextpageurl", "nextlink", "nexthref", "nextpagelink",
    "odatanextlink",
  ]
  /// Names of objects that say about the document, and not about an offer.
  private static let containers: Set = [
    "links", "link", "atomlink", "paging", "pagination", "pager", "meta", "metadata", "pageinfo",
    "page", "pages", "info", "cursor", "cursors", "d", "data", "response", "result", "view",
    "responsemetadata",
  ]
  private static let levelLimit = 3

  private static func walk(
    _ object: SampleObject, _ steps: [FieldPath.Step], _ items: [FieldPath.Step],
    _ found: inout [Statement]
  ) {
    for (key, value) in object.members {
      let here = steps + [.key(key)]
      let name = KeyWords(key).joined
      if here == items || found.count >= 1000 { continue }
      var statement = Statement(steps: here, key: key, name: name, value: value)
      if nextNames.contains(name) {
        if case .null = value { statement.isAddress = true }
        if let (rest, text) = address(value) {
          statement = Statement(
            steps: here + rest, key: key, name: name, value: .text(text), isAddress: true)
        }
      }
      switch statement.value {
      case .text, .number, .truth, .null: found.append(statement)
      case .object(let inner):
        addNext(statement.value, here, key, &found)
        if goes(into: name, here, items) { walk(inner, here, items, &found) }
      case .list(let links):
        guard goes(into: name, here, items) else { continue }
        for link in links { addNext(link, here, key, &found) }
      }
    }
  }

  /// Adds the address of a link with `rel="next"`, in JSON or as an XML element.
  private static func addNext(
    _ link: SampleValue, _ here: [FieldPath.Step], _ key: String, _ found: inout [Statement]
  ) {
    for mark in ["rel", "@rel"] where link.object?[mark]?.scalar == "next" {
      guard let (rest, text) = address(link) else { continue }
      found.append(
        Statement(
          steps: here + [.matching(key: [mark], value: "next")] + rest, key: key, name: "next",
          value: .text(text), isAddress: true))
    }
  }

  private static func goes(
    into name: String, _ here: [FieldPath.Step], _ items: [FieldPath.Step]
  ) -> Bool {
    here.count <= levelLimit && (containers.contains(name) || items.starts(with: here))
  }

  /// The address within the value of a member called next, and its path there.
  private static func address(_ value: SampleValue) -> ([FieldPath.Step], String)? {
    if case .object(let object) = value {
      return ["href", "url", "@href"].lazy.compactMap { key in
        object[key].flatMap(address).map { ([.key(key)] + $0.0, $0.1) }
      }.first
    }
    guard case .text(let text) = value, !text.contains(" ") else { return nil }
    return text.contains("://") || text.hasPrefix("/") || text.hasPrefix("?") ? ([], text) : nil
  }
}

/// The address of a source as text, whose query can be changed.
private struct QueryText {
  /// The address up to the query.
  let path: Substring
  private var parameters: [Substring]

  init(_ text: String) {
    let address = text.split(scalar: "#", maxSplits: 1).first ?? ""
    let parts = address.split(scalar: "?", maxSplits: 1)
    path = parts.first ?? ""
    parameters = parts.dropFirst().flatMap { $0.split(scalar: "&") }
  }

  var text: String { path + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")) }
  var names: [String] { parameters.map { Self.name(of: $0) } }

  func has(_ name: String) -> Bool { names.contains(name) }

  func value(of name: String) -> String? {
    parameters.first { Self.name(of: $0) == name }?.split(scalar: "=", maxSplits: 1)
      .dropFirst().first.map(String.init)
  }

  mutating func set(_ name: String, to value: String) {
    if let place = names.firstIndex(of: name) {
      parameters[place] = "\(name)=\(value)"
    } else {
      parameters.append("\(name)=\(value)")
    }
  }

  private static func name(of parameter: Substring) -> String {
    String(parameter.split(scalar: "=", maxSplits: 1).first ?? "")
  }
}
