import OffersCore

/// The searched words of an offer, as the text of a `tsvector`. The program finds the words itself, by
/// `LetterTokenizer`, so that a search means the same in every store; PostgreSQL only looks them up.
///
/// The weights are A for the name, B for the retailer, C for the description and the categories, D for
/// the values of attributes and the terms. There is a gap between the places of two texts, so that no
/// words follow each other across them.
struct SearchDocument {
  /// The longest word, in bytes, below the limit of `tsvector`. A longer one counts as its beginning,
  /// in searches as well.
  private static let wordBytes = 256
  /// The size of the words and places above which further words are left out. A `tsvector` has at most
  /// 1 MiB.
  private static let limitBytes = 768 << 10
  /// The last place that a `tsvector` tells from later ones.
  private static let lastPlace = 16_383
  /// The most places that a `tsvector` keeps of a word.
  private static let placeLimit = 255

  private var places: [String: [String]] = [:]
  private var bytes = 0
  private var place = 0

  init(
    name: String, retailer: String?, description: String?, categories: [String],
    attributes: [OfferAttribute], terms: String?
  ) {
    add(name, weight: "A")
    add(retailer, weight: "B")
    add(description, weight: "C")
    for category in categories { add(category, weight: "C") }
    for attribute in attributes { add(attribute.value, weight: "D") }
    add(terms, weight: "D")
  }

  /// Adds the words of a text.
  private mutating func add(_ text: String?, weight: String) {
    guard let text else { return }
    LetterTokenizer.forEachWord(of: text) { word, _ in
      let word = Self.cut(word)
      place = min(place + 1, Self.lastPlace)
      if bytes > Self.limitBytes { return }
      let entry = "\(place)\(weight)"
      let old = places[word]
      // All places from the last one on are the same.
      if let old, old.count >= Self.placeLimit || old.last == entry { return }
      bytes += old == nil ? word.utf8.count + 8 : 2
      places[word, default: []].append(entry)
    }
    place = min(place + 1, Self.lastPlace)
  }

  /// The words.
  var words: some Sequence<String> { places.keys }

  /// The text of the `tsvector`. Words have letters and digits only, so quotes suffice.
  var text: String {
    places.map { "'\($0)':\($1.joined(separator: ","))" }.joined(separator: " ")
  }

  /// The beginning of a word that is looked up.
  static func cut(_ word: String) -> String {
    if word.utf8.count <= wordBytes { return word }
    var end = word.unicodeScalars.startIndex
    while let next = word.unicodeScalars.index(
      end, offsetBy: 1, limitedBy: word.unicodeScalars.endIndex),
      word.utf8.distance(from: word.startIndex, to: next) <= wordBytes
    {
      end = next
    }
    return String(word[..<end])
  }
}

extension SearchWords {
  /// The search as the text of a `tsquery`.
  var query: String { parts.map { $0.query() }.joined(separator: " & ") }
}

extension SearchWords.Part {
  /// The part as the text of a `tsquery`.
  ///
  /// - Parameters:
  ///   - weight: the weight that all words must have; empty for any.
  ///   - isWhole: whether the last word must be whole, although it is open.
  func query(weight: String = "", isWhole: Bool = false) -> String {
    let terms = words.enumerated().map { index, word in
      let isPrefix = isOpen && !isWhole && index == words.count - 1
      let mark = (isPrefix ? "*" : "") + weight
      return "'\(SearchDocument.cut(word))'" + (mark.isEmpty ? "" : ":\(mark)")
    }
    return "(\(terms.joined(separator: " <-> ")))"
  }
}
