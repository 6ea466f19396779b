import OffersCore

/// A word that stands for one of several choices.
enum NamedChoice {
  /// Finds the choice of a name.
  ///
  /// - Parameters:
  ///   - what: what it is, such as `format`.
  ///   - title: what a list of them is called, such as `Formats`.
  /// - Throws: `OffersError` with `invalidRequest`, which names the nearest choice.
  static func find<Choice: RawRepresentable & CaseIterable>(
    _ word: String, what: String, title: String
  ) throws -> Choice where Choice.RawValue == String {
    if let choice = Choice(rawValue: word) { return choice }
    let names = Choice.allCases.map(\.rawValue)
    let near = NearestWord.find(word, among: names).map { "Did you mean \($0)? " } ?? ""
    // All of them are named, however many: what is listed here stands in no other place to look at.
    throw OffersError(
      .invalidRequest, "“\(word)” is no \(what).",
      hint: "\(near)\(title): \(names.joined(separator: ", ")).")
  }
}
