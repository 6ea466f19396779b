import OffersCore

/// A lookup of an enum case by its raw value, with an error that lists all values.
enum NamedChoice {
  /// The case whose raw value is the given word.
  ///
  /// - Parameters:
  ///   - word: the word that the user typed.
  ///   - what: the noun for a value in the error, such as `format`.
  ///   - title: the title of the list of values in the hint, such as `Formats`.
  /// - Throws: `OffersError` with `invalidRequest` for another word. The hint suggests a similar
  ///   value, if there is one, and lists all.
  static func find<Choice: RawRepresentable & CaseIterable>(
    _ word: String, what: String, title: String
  ) throws -> Choice where Choice.RawValue == String {
    if let choice = Choice(rawValue: word) { return choice }
    let names = Choice.allCases.map(\.rawValue)
    let near = NearestWord.find(word, among: names).map { "Did you mean \($0)? " } ?? ""
    // The hint lists all values, however many, because no command prints them.
    throw OffersError(
      .invalidRequest, "There is no \(what) “\(word)”.",
      hint: "\(near)\(title): \(names.joined(separator: ", ")).")
  }
}
