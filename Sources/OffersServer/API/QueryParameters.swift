import Foundation
import Hummingbird
import OffersCore

/// The query parameters of a request to the API, strictly parsed: an unknown, repeated, empty or
/// invalid parameter is an error that names it. Invalid percent-encoding is an error, too.
struct QueryParameters: Sendable {
  private var values: [String: String] = [:]

  /// Parses the query of a request.
  ///
  /// - Parameters:
  ///   - request: the request whose query is parsed; one without a query has no parameters.
  ///   - names: the parameters that the route accepts.
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
      throw wrong(name, hint: error.hint)
    }
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
