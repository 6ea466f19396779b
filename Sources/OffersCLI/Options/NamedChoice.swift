import OffersCore

/// A lookup of a named choice, with an error that lists all choices.
enum NamedChoice {
  /// The choice with the given name.
  ///
  /// - Parameters:
  ///   - what: the noun for a single choice, such as `format`.
  ///   - title: the title of the list of choices, such as `Formats`.
  /// - Throws: `OffersError` with `invalidRequest`, whose hint suggests the most similar name.
  static func find<Choice: RawRepresentable & CaseIterable>(
    _ word: String, what: String, title: String
  ) throws -> Choice where Choice.RawValue == String {
    if let choice = Choice(rawValue: word) { return choice }
    let names = Choice.allCases.map(\.rawValue)
    let near = NearestWord.find(word, among: names).map { "Did you mean \($0)? " } ?? ""
    // The hint lists all choices, however many, because no command prints them.
    throw OffersError(
      .invalidRequest, "There is no \(what) “\(word)”.",
      hint: "\(near)\(title): \(names.joined(separator: ", ")).")
  }
}
