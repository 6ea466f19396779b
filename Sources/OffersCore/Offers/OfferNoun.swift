/// The noun for the offers of a feed, in counts such as `100 albums`.
package struct OfferNoun: Sendable, Hashable {
  /// The noun for one offer.
  package let singular: String
  /// The noun for several offers.
  package let plural: String

  /// The noun of feeds that state none.
  package static let offer = OfferNoun("offer")

  /// Creates a noun.
  ///
  /// - Parameters:
  ///   - singular: the noun for one offer.
  ///   - plural: the noun for several offers; nil for the regular English plural.
  package init(_ singular: String, plural: String? = nil) {
    self.singular = singular
    self.plural = plural ?? Self.regularPlural(of: singular)
  }

  /// Whether a text can be a noun: letters with spaces, hyphens and apostrophes, which are safe in any
  /// output, at most `maximumCharacters`.
  package static func isNoun(_ text: String) -> Bool {
    // Counting the characters of a long text takes time that grows with its combining marks.
    guard text.utf8.count <= maximumCharacters * 8, text.count <= maximumCharacters else {
      return false
    }
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      scalar == " " || scalar == "-" || scalar == "'" || scalar == "’"
        || scalar.properties.isAlphabetic
    }
    return isPlain && text.first?.isLetter == true
  }

  /// The largest length of a noun, in characters.
  package static let maximumCharacters = 40

  /// The regular English plural: `album` is `albums`, `box` is `boxes`, `story` is `stories`.
  package static func regularPlural(of noun: String) -> String {
    let sibilants = ["s", "x", "z", "ch", "sh"]
    if sibilants.contains(where: noun.hasSuffix) { return noun + "es" }
    let beforeLast = noun.dropLast().last
    if noun.hasSuffix("y"), let beforeLast, beforeLast.isLetter, !"aeiou".contains(beforeLast) {
      return noun.dropLast() + "ies"
    }
    return noun + "s"
  }
}

extension Units {
  /// A number and the noun that counts it: `1 album`, `1,200 albums`.
  package static func count(_ number: Int, _ noun: OfferNoun) -> String {
    "\(count(number)) \(number == 1 ? noun.singular : noun.plural)"
  }
}
