import Foundation
import Hummingbird
import OffersCore

/// The query parameters of a request to the API, strictly parsed: an unknown, repeated, empty or
/// invalid parameter is an error that names it. Invalid percent-encoding is an error, too.
struct QueryParameters: Sendable {
  private var values: [String: String] = [:]

  /// Parses the query of a request.
  ///
  /// - Throws: `Problem` with status 400.
  init(_ request: Request, _ names: [String]) throws {
    for (name, value) in URLEncodedForm.pairs(request.uri.query ?? "") {
      guard let name, let value else {
        throw Problem(.badRequest, "The parameters are not well-formed.")
      }
      guard names.contains(name) else {
        throw Problem(
          .badRequest, "There is no parameter “\(name)” here.",
          hint: names.isEmpty
            ? "This address takes no parameters."
            : NearestWord.hint(for: name, among: names, title: "Parameters"))
      }
      if values.updateValue(value, forKey: name) != nil {
        throw Problem(.badRequest, "The parameter “\(name)” is given twice.")
      }
      if value.isEmpty {
        throw Problem(
          .badRequest, "The parameter “\(name)” is empty.",
          hint: "Give it a value, or leave it out.")
      }
    }
  }

  func text(_ name: String) -> String? { values[name] }

  func fetchText(_ name: String) throws -> String {
    guard let text = values[name] else {
      throw Problem(.badRequest, "The parameter “\(name)” is missing.")
    }
    return text
  }

  func flag(_ name: String) throws -> Bool? {
    guard let text = values[name] else { return nil }
    if text == "true" { return true }
    if text == "false" { return false }
    throw wrong(name, hint: "Write true or false.")
  }

  func number(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
    guard let text = values[name] else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
      range.contains(number)
    else {
      throw wrong(name, hint: "Write \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, as: Choice.Type
  ) throws -> Choice? where Choice.RawValue == String {
    try values[name].map { try choice($0, name) }
  }

  /// The choices in a parameter that is a comma-separated list; nil without the parameter.
  func choices<Choice: RawRepresentable & CaseIterable & Hashable>(
    _ name: String, as: Choice.Type
  ) throws -> Set<Choice>? where Choice.RawValue == String {
    guard let text = values[name] else { return nil }
    return Set(
      try text.split(scalar: ",", omittingEmptySubsequences: false).map {
        try choice(String($0), name)
      })
  }

  /// Parses the value of a parameter with `body`; nil without the parameter. An `OffersError` of
  /// `body` becomes a `Problem` with status 400 that names the parameter.
  func read<Value>(_ name: String, _ body: (String) throws -> Value) throws -> Value? {
    guard let text = values[name] else { return nil }
    do {
      return try body(text)
    } catch let error as OffersError {
      throw wrong(name, hint: error.hint?.text)
    }
  }

  /// The offers that the parameter `q` and those of some filters select.
  func selection(
    _ filters: [OfferFilter], _ reader: any FilterTextReader, at now: Date
  ) throws -> Selection {
    var selection =
      try text("q").map { try SelectionText(parsing: $0).selection(at: now, reader) } ?? Selection()
    for filter in filters {
      _ = try read(filter.words.parameter) { text in
        try filter.set(text, in: &selection, at: now, reader)
      }
    }
    return selection
  }

  /// The cursor in the parameter `cursor`; nil without the parameter.
  func cursor(of list: UInt64) throws -> Cursor? {
    try values["cursor"].map { try Cursor($0, of: list) }
  }

  /// A hash of all parameters but the named ones. It ties a cursor to the list that it belongs to.
  func fingerprint(without names: Set<String>) -> UInt64 {
    var hash = ContentHash(seed: 0x6c69_7374)
    for (name, value) in values.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
      for text in [name, value] {
        var text = text
        text.withUTF8 { hash.combine(UnsafeRawBufferPointer($0)) }
      }
    }
    return hash.value
  }

  private func choice<Choice: RawRepresentable & CaseIterable>(
    _ word: String, _ name: String
  ) throws -> Choice where Choice.RawValue == String {
    if let choice = Choice(rawValue: word) { return choice }
    let names = Choice.allCases.map(\.rawValue)
    throw wrong(name, hint: NearestWord.hint(for: word, among: names, title: "Choices"))
  }

  private func wrong(_ name: String, hint: String?) -> Problem {
    Problem(
      .badRequest, "The parameter “\(name)” cannot be “\(values[name] ?? "")”.", hint: hint)
  }
}

/// The members of the JSON body of a request that changes something, as strictly parsed.
struct JSONBody {
  private let values: [String: Any]

  /// Reads the body of a request as a JSON object; an empty body is an empty object.
  ///
  /// - Parameter members: the names of the members that the route accepts.
  /// - Throws: `Problem` with status 400 for a body that is no JSON object or has an unknown
  ///   member, with 413 for a body over `RequestValidation.bodyBytes`.
  init(of request: Request, members: [String] = []) async throws {
    let body = try await RequestBody.read(request)
    let value =
      body.readableBytes == 0
      ? [String: Any]() : try? JSONSerialization.jsonObject(with: Data(body.readableBytesView))
    guard let object = value as? [String: Any] else {
      throw Problem(.badRequest, "The body is not a JSON object.")
    }
    for name in object.keys.sorted() where !members.contains(name) {
      throw Problem(
        .badRequest, "The body has an unknown member “\(name)”.",
        hint: members.isEmpty
          ? "Leave it out, or send {}."
          : NearestWord.hint(for: name, among: members, title: "Members"))
    }
    values = object
  }

  /// A text; nil without the member, and for null.
  func text(_ name: String) throws -> String? {
    guard let value = values[name], !(value is NSNull) else { return nil }
    guard let text = value as? String else { throw Self.wrong(name, "a string") }
    return text
  }

  func texts(_ name: String) throws -> [String]? {
    guard let value = values[name] else { return nil }
    guard let texts = value as? [String] else { throw Self.wrong(name, "a list of strings") }
    return texts
  }

  func flag(_ name: String) throws -> Bool? {
    guard let value = values[name] else { return nil }
    guard let flag = Self.truth(value) else { throw Self.wrong(name, "true or false") }
    return flag
  }

  func number(_ name: String) throws -> Int64? {
    guard let value = values[name] else { return nil }
    guard let number = value as? NSNumber, Self.truth(number) == nil,
      let whole = Int64(exactly: number.doubleValue)
    else { throw Self.wrong(name, "a whole number") }
    return whole
  }

  /// The Boolean that a JSON value is; nil for any other value, including the numbers 0 and 1.
  private static func truth(_ value: Any) -> Bool? {
    // Foundation parses JSON Booleans as NSNumber, and serializes those as Booleans again.
    guard value is NSNumber || value is Bool,
      let text = try? JSONSerialization.data(withJSONObject: [value])
    else { return nil }
    return [Data("[true]".utf8): true, Data("[false]".utf8): false][text]
  }

  private static func wrong(_ name: String, _ type: String) -> Problem {
    Problem(.badRequest, "The member “\(name)” must be \(type).")
  }
}

/// A position in a list, from which its next page continues (keyset pagination). Its text is opaque
/// to clients, and valid only for the list that it was made for.
enum Cursor: Hashable {
  case offer(OfferPosition)
  /// The position in the list of changes after the recorded change `id`. Expiring offers are listed
  /// from `since` on, in Unix seconds. If a page ended among expiring offers, `since` is the time
  /// of its last one and `expiringKey` the key of that offer. In an offer's reward history: the
  /// position before the change `id`.
  case change(id: Int64, since: Int64, expiringKey: Int64? = nil)

  private static let refusal = Problem(
    .badRequest, "The parameter “cursor” does not belong to this list.",
    hint: "Send next_cursor with all other parameters unchanged, or begin without a cursor.")

  /// The maximum length of a sort key in a cursor, in UTF-8 bytes, because a cursor is part of a
  /// URL. If a key is longer, the cursor contains only the offer's reference.
  private static let textLimit = 500

  init(after position: OfferPosition) {
    let isLong = position.values.contains { value in
      if case .text(let text) = value { text.utf8.count > Self.textLimit } else { false }
    }
    self = .offer(isLong ? OfferPosition(position.ref) : position)
  }

  /// The text of the cursor: base64url without padding.
  func text(of list: UInt64) -> String {
    let parts =
      switch self {
      case .offer(let position):
        ["o", position.ref.feed, position.ref.offerID] + position.values.map(Self.text)
      case .change(let id, let since, let key):
        ["c", String(id), String(since)] + (key.map { [String($0)] } ?? [])
      }
    // Encoding strings cannot fail.
    let data = try? JSONEncoder().encode([String(list, radix: 16)] + parts)
    return Base64URL.text(of: data ?? Data())
  }

  /// Parses the text of a cursor.
  ///
  /// - Throws: `Problem` with status 400 for a text that is no cursor, or one of another list.
  init(_ text: String, of list: UInt64) throws {
    guard let data = Base64URL.data(of: text),
      let parts = try? JSONDecoder().decode([String].self, from: data),
      parts.first == String(list, radix: 16), let position = Self.position(parts.dropFirst())
    else { throw Self.refusal }
    self = position
    // Only the canonical encoding of a cursor is accepted.
    if self.text(of: list) != text { throw Self.refusal }
  }

  /// The place in a list of offers.
  ///
  /// - Throws: `Problem` with status 400 for a cursor of changes.
  func offer() throws -> OfferPosition {
    guard case .offer(let position) = self else { throw Self.refusal }
    return position
  }

  /// The place in a list of changes.
  ///
  /// - Throws: `Problem` with status 400 for a cursor of offers.
  func change() throws -> (id: Int64, since: Date, expiringKey: Int64?) {
    guard case .change(let id, let since, let key) = self else { throw Self.refusal }
    return (id, Date(storedSeconds: since), key)
  }

  private static func position(_ parts: ArraySlice<String>) -> Cursor? {
    // SQLite may end a text at its first NUL.
    guard parts.count >= 3, !parts.contains(where: { $0.utf8.contains(0) }) else { return nil }
    let (first, second) = (parts[parts.startIndex + 1], parts[parts.startIndex + 2])
    let rest = parts.dropFirst(3)
    switch parts.first {
    case "o":
      let values = rest.compactMap(value)
      if values.count < rest.count { return nil }
      return .offer(OfferPosition(OfferRef(feed: first, offerID: second), values: values))
    case "c":
      // A time beyond this bound is millions of years away: this server did not write the cursor.
      guard rest.count <= 1, let id = Int64(first), let seconds = Int64(second), id >= 0,
        abs(Double(seconds)) <= 1e15
      else { return nil }
      let key = rest.first.flatMap { Int64($0) }
      if (key == nil) != rest.isEmpty { return nil }
      return .change(id: id, since: seconds, expiringKey: key)
    default: return nil
    }
  }

  private static func text(_ value: OfferPosition.Value) -> String {
    switch value {
    case .none: "-"
    case .number(let number): "n\(number)"
    case .text(let text): "t\(text)"
    }
  }

  private static func value(_ text: String) -> OfferPosition.Value? {
    let rest = String(Substring(text.utf8.dropFirst()))
    switch text.utf8.first {
    case UInt8(ascii: "-"): return OfferPosition.Value.none
    case UInt8(ascii: "n"): return Int64(rest).map(OfferPosition.Value.number)
    case UInt8(ascii: "t"): return .text(rest)
    default: return nil
    }
  }
}
