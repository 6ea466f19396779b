import Foundation

/// The form of a selection that people type, read and keep: `coffee reward:>=2 feed:ibotta -pod`.
///
/// It has words as in `Selection.words`, the filters of `OfferFilter` by their `term`, and an order: `sort:reward`,
/// or `sort:-reward` for the reverse. Names with white space are quoted: `retailer:"Whole Foods"`. Times that are
/// relative, such as `new:7d`, stay so until the selection is asked for. A text with a colon whose beginning is no
/// filter and is not like one is a word.
public struct SelectionText: Hashable, Sendable, CustomStringConvertible {
  /// A filter with the text of its value; `true` for one that is on or off.
  private struct Setting: Hashable {
    let filter: OfferFilter
    let text: String
  }

  /// The words, as in `Selection.words`.
  public private(set) var words = ""
  private var settings: [Setting] = []
  /// The order; nil if the text names none.
  public var sort: OfferQuery.Sort?
  /// Whether the order is reversed.
  public var isReversed = false

  /// A text without words and filters, which selects all offers.
  public init() {}

  /// Parses a text.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a mistyped filter or order, with its place and the nearest
  ///   right one, and for a text beyond the limits of `SearchQuery.words`. Values are read by
  ///   `selection(at:_:)`.
  public init(parsing text: String) throws {
    try SearchWords.check(text)
    var words: [SearchToken] = []
    var isBehindFilter = false
    var or: SearchToken?
    for token in SearchToken.all(in: text) {
      let isFilter = try !token.isQuoted && take(token)
      if let or, isFilter {
        throw Self.wrong(or, "stands beside a filter", hint: Self.orHint)
      }
      or = token.text == "OR" ? token : nil
      if or != nil, isBehindFilter {
        throw Self.wrong(token, "stands beside a filter", hint: Self.orHint)
      }
      isBehindFilter = isFilter
      if !isFilter { words.append(token) }
    }
    self.words = words.map(\.text).joined(separator: " ")
  }

  /// Whether it selects all offers.
  public var isEmpty: Bool { words.isEmpty && settings.isEmpty }

  /// Adds a filter with the text of its value. Of a filter that has one value, the last one counts.
  package mutating func add(_ filter: OfferFilter, _ text: String) {
    if !filter.takesSeveral { settings.removeAll { $0.filter == filter } }
    let new = Setting(filter: filter, text: text)
    if !settings.contains(new) { settings.append(new) }
  }

  /// Adds words behind those that are there.
  package mutating func add(words more: String) {
    words = words.isEmpty ? more : more.isEmpty ? words : "\(words) \(more)"
  }

  private static let orHint =
    "Write it between two words. Several feeds, retailers or categories need none."

  /// The text with other words.
  package func replacing(words: String) -> SelectionText {
    var text = self
    text.words = words
    return text
  }

  /// The text without its order.
  package var withoutOrder: SelectionText {
    var text = self
    (text.sort, text.isReversed) = (nil, false)
    return text
  }

  /// The text without a filter.
  package func without(_ filter: OfferFilter) -> SelectionText {
    var text = self
    text.settings.removeAll { $0.filter == filter }
    return text
  }

  /// The values of a filter, as they were typed.
  package func texts(of filter: OfferFilter) -> [String] {
    settings.filter { $0.filter == filter }.map(\.text)
  }

  /// The text: first the words, then the filters in the order of `OfferFilter`, then the order.
  public var description: String {
    var parts = words.isEmpty ? [] : [words]
    for filter in OfferFilter.allCases {
      for text in texts(of: filter) {
        if case .flag = filter.value {
          if text == "true" { parts.append(filter.words.term) }
        } else {
          parts.append(filter.words.term + Self.quoted(text))
        }
      }
    }
    if let sort { parts.append("\(Self.sortTerm)\(isReversed ? "-" : "")\(sort.rawValue)") }
    return parts.joined(separator: " ")
  }

  private static func quoted(_ text: String) -> String {
    let isPlain =
      !text.isEmpty && !text.unicodeScalars.contains(where: SearchWords.isSpace)
      && !SearchToken.all(in: text).contains(where: \.isQuoted)
    if isPlain { return text }
    let pairs = [("\"", "\""), ("«", "»"), ("“", "”")]
    let (open, close) = pairs.first { !text.contains($1) } ?? pairs[0]
    return open + text + close
  }

  private static let sortTerm = "sort:"

  /// The selection of a text that has only words and the names of feeds, retailers and categories; nil for another one.
  package var namedSelection: Selection? {
    var selection = Selection()
    selection.words = words
    for setting in settings {
      switch setting.filter.value {
      case .text(let path), .label(let path): selection[keyPath: path].append(setting.text)
      case .flag, .bound, .since, .within, .circle: return nil
      }
    }
    return selection
  }

  /// The selection at a time.
  ///
  /// - Parameters:
  ///   - now: the time that relative times count from.
  ///   - reader: reads bounds, times and durations.
  /// - Throws: `OffersError` with `invalidRequest` for a text that is no value of its filter.
  package func selection(at now: Date, _ reader: any FilterTextReader) throws -> Selection {
    var selection = Selection()
    selection.words = words
    for setting in settings {
      try setting.filter.set(setting.text, in: &selection, at: now, reader)
    }
    return selection
  }
}

extension SelectionText {
  /// The beginnings of all filters and of the order, for completion on Tab.
  package static let terms = OfferFilter.allCases.map(\.words.term) + [sortTerm]

  /// The names of filters: `feed`, `is`, `sort`.
  private static let names = Set(
    terms.compactMap { term in
      term.split(scalar: ":").first.map { String($0.drop { $0 == "-" }) }
    }
  ).sorted()

  /// The filters by other names that people type for them, such as those of options and of sort orders.
  private static let synonyms = [
    "ends": "ending", "end": "ending", "expires": "ending", "expiring": "ending",
    "expiry": "ending",
    "since": "new", "newest": "new", "cost": "price", "value": "reward", "amount": "reward",
    "cashback": "reward", "store": "retailer", "shop": "retailer", "brand": "retailer",
    "tag": "category", "order": "sort",
  ]

  /// Takes a filter or the order out of a token. Returns whether it is one.
  private mutating func take(_ token: SearchToken) throws -> Bool {
    let (sign, body) =
      token.text.hasPrefix("-") || token.text.hasPrefix("−")
      ? ("-", token.text.dropFirst()) : ("", token.text[...])
    let name = body.prefix { ("a"..."z").contains($0) || ("A"..."Z").contains($0) }.lowercased()
    var value = String(body.dropFirst(name.utf8.count))
    if value == ":", Self.names.contains(name) {
      // The shell takes the rest of an unquoted reward:>=2 for a file.
      let isBound = ["reward", "price"].contains(name)
      throw Self.wrong(
        token, "has no value",
        hint: isBound
          ? "Quote it for the shell: '\(name):>=2'."
          : "Write it without a space: \(sign)\(name):VALUE. Quote a text to find it as it is.")
    }
    guard let mark = value.unicodeScalars.first, ":<>=≤≥".unicodeScalars.contains(mark),
      value.unicodeScalars.count > 1, !value.hasPrefix("://")
    else { return false }
    if mark == ":" { value.removeFirst() }
    guard Self.names.contains(name) else {
      let near = NearestWord.nearest(to: name, among: Self.names)
        .flatMap { $0.distance * 3 <= name.count ? $0.word : nil }
      // The comparison of a name with a number is hardly a text.
      let isComparison =
        name.count > 1 && "<>≤≥".unicodeScalars.contains(mark)
        && value.unicodeScalars.contains { ("0"..."9").contains($0) }
      guard let meant = near ?? Self.synonyms[name] ?? (isComparison ? "reward" : nil) else {
        return false
      }
      throw Self.wrong(
        token, "is not a filter", hint: "Did you mean \(meant):? Quote a text to find it as it is.")
    }
    value = value.replacing(bytes: "≥", with: ">=").replacing(bytes: "≤", with: "<=")
    if sign.isEmpty, "\(name):" == Self.sortTerm {
      try takeOrder(value, token)
      return true
    }
    let filters = OfferFilter.allCases.filter { $0.words.term.hasPrefix("\(sign)\(name):") }
    guard !filters.isEmpty else {
      throw Self.wrong(
        token, "cannot be excluded", hint: "Only feed:, retailer: and category: take a hyphen.")
    }
    for filter in filters {
      let rest = filter.words.term.dropFirst(sign.count + name.count + 1)
      if case .flag = filter.value {
        guard value.lowercased() == rest else { continue }
        add(filter, "true")
        return true
      }
      guard value.hasPrefix(rest) else { continue }
      let typed = String(value.dropFirst(rest.count))
      let text = Self.unquoted(typed)
      let quotes = ["\"": "\"", "“": "”", "«": "»"]
      if text == typed, let close = quotes[String(typed.prefix(1))],
        !typed.dropFirst().contains(close)
      {
        throw Self.wrong(token, "has no closing quote", hint: "Write \(close) behind the name.")
      }
      if text.isEmpty { throw Self.wrong(token, "has no value", hint: nil) }
      add(filter, text)
      return true
    }
    let terms = filters.map(\.words.term)
    if case .bound = filters[0].value {
      value.trimPrefix { "<>=".contains($0) }
      throw Self.wrong(
        token, "needs >= or <=",
        hint: "Write \(filters.map { $0.words.term + value }.joined(separator: " or ")).")
    }
    let meant =
      NearestWord.find("\(name):\(value)", among: terms).map { "Did you mean \($0)? " } ?? ""
    let all = [terms.dropLast().joined(separator: ", "), terms.last ?? ""].filter { !$0.isEmpty }
    throw Self.wrong(
      token, "is not a filter", hint: "\(meant)Write \(all.joined(separator: " or ")).")
  }

  private mutating func takeOrder(_ value: String, _ token: SearchToken) throws {
    let name = value.hasPrefix("-") ? String(value.dropFirst()) : value
    guard let sort = OfferQuery.Sort(rawValue: name.lowercased()) else {
      let names = OfferQuery.Sort.allCases.map(\.rawValue)
      throw Self.wrong(
        token, "is not an order", hint: NearestWord.hint(for: name, among: names, title: "Orders"))
    }
    (self.sort, isReversed) = (sort, value.hasPrefix("-"))
  }

  private static func unquoted(_ text: String) -> String {
    if text == "\"\"" { return "" }
    guard let token = SearchToken.all(in: text).first, token.isQuoted, !token.isUnwanted else {
      return text
    }
    return token.content
  }

  private static func wrong(_ token: SearchToken, _ reason: String, hint: String?) -> OffersError {
    OffersError(
      .invalidRequest, "“\(token.text)” at character \(token.offset + 1) \(reason).",
      hint: hint.map { Hint($0) })
  }
}

extension OfferFilter {
  /// Whether a selection may have several values of it, of which one is enough.
  package var takesSeveral: Bool {
    switch value {
    case .text, .label: true
    case .flag, .bound, .since, .within, .circle: false
    }
  }
}
