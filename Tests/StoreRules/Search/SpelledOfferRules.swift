import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Random searches and lists")
struct SpelledOfferRules {
  /// An offer with its texts.
  private struct Spelled {
    let id: String
    let name: SpelledText
    let retailer: SpelledText
    let description: SpelledText
    let terms: SpelledText
    let categories: [SpelledText]
    let attributes: [SpelledText]
    let isExpired: Bool

    init(_ number: Int, _ random: inout SeededGenerator) {
      id = "\(number)"
      name = .random(1...3, &random)
      retailer = .random(1...1, &random)
      description = .random(1...4, &random)
      terms = .random(1...6, &random)
      categories = (0..<Int.random(in: 0...2, using: &random)).map { _ in .random(1...2, &random) }
      attributes = (0..<Int.random(in: 0...2, using: &random)).map { _ in .random(1...2, &random) }
      isExpired = Int.random(in: 0..<5, using: &random) == 0
    }

    var offer: FeedOffer {
      FeedOffer(
        id, name: name.text, description: description.text,
        more: [
          .retailer: retailer.text, .terms: terms.text, .expiresAt: isExpired ? "2000" : "9000",
          .categories: categories.isEmpty
            ? nil : Self.json { json in for text in categories { json.value(text.text) } },
          .attributes: OfferAttribute.json(
            attributes.map { OfferAttribute(label: "Tea", value: $0.text) }),
        ].compactMapValues(\.self))
    }

    private static func json(_ texts: (inout JSONWriter) -> Void) -> String {
      var json = JSONWriter()
      json.array(texts)
      return json.text
    }

    /// The texts that are searched, with the weights of their fields.
    var texts: [(weight: Int, text: SpelledText)] {
      [(20, name), (10, retailer), (6, description), (3, terms)] + categories.map { (6, $0) }
        + attributes.map { (3, $0) }
    }

    /// The best weight of a text of a search, also written together with the one before or behind it; nil if no
    /// text has it.
    func weight(of place: Int, in parts: [SpelledText], opensLast: Bool) -> Int? {
      func opens(_ place: Int) -> Bool { opensLast && place == parts.count - 1 }
      let part = parts[place]
      var found = ([part.words] + part.joined.map { [$0] }).map {
        weight(of: $0, isOpen: opens(place))
      }
      for second in [place, place + 1] where parts.indices.contains(second) && second > 0 {
        guard parts[second - 1].endsWithWord, let one = parts[second - 1].joinableWord,
          let other = parts[second].joinableWord
        else { continue }
        found.append(weight(of: [one + other], isOpen: opens(second)))
      }
      return found.compactMap(\.self).max()
    }

    /// The best weight of words that follow each other; nil if no text has them. Whole words count double.
    func weight(of words: [String], isOpen: Bool) -> Int? {
      var best: Int?
      let runs = texts.flatMap { weight, text in
        ([text.words] + text.joined.map { [$0] }).map { (weight, $0) }
      }
      for (weight, run) in runs where run.count >= words.count {
        for start in 0...run.count - words.count {
          let found = run[start..<start + words.count]
          let isWhole = zip(found, words).allSatisfy { $0 == $1 }
          let begins =
            isOpen && zip(found, words).dropLast().allSatisfy { $0 == $1 }
            && (found.last ?? "").utf8.starts(with: (words.last ?? "").utf8)
          if isWhole || begins { best = max(best ?? 0, isWhole ? weight * 2 : weight) }
        }
      }
      return best
    }
  }

  private static func store(_ kind: StoreKind, _ spelled: [Spelled]) async throws
    -> OffersDatabase
  {
    let store = try await kind.open().store
    try await store.sync(spelled.map(\.offer), feed: "shop", at: 1000)
    return store
  }

  private static let now = Date(timeIntervalSince1970: 3000)

  /// The results by looking at each offer.
  private static func results(
    of parts: [SpelledText], in spelled: [Spelled], includesExpired: Bool
  ) -> [String] {
    func results(opensLetter: Bool) -> [String] {
      let worded = parts.filter { !$0.words.isEmpty }
      guard let last = parts.last, !worded.isEmpty else { return [] }
      let opens = last.isOpen && (opensLetter || (last.words.last ?? "").unicodeScalars.count > 1)
      var found: [(id: String, isExpired: Bool, rank: Int)] = []
      for offer in spelled where includesExpired || !offer.isExpired {
        let weights = worded.indices.map {
          offer.weight(of: $0, in: worded, opensLast: opens && worded.last == last)
        }
        if weights.contains(nil) { continue }
        found.append((offer.id, offer.isExpired, weights.reduce(0) { $0 + ($1 ?? 0) }))
      }
      // The sort is stable.
      return found.sorted { ($0.isExpired ? 1 : 0, -$0.rank) < ($1.isExpired ? 1 : 0, -$1.rank) }
        .map(\.id)
    }
    let whole = results(opensLetter: false)
    return whole.isEmpty ? results(opensLetter: true) : whole
  }

  /// Offers, and random searches of them with their first results.
  private static let searched: ([Spelled], [(query: SearchQuery, ids: [String])]) = {
    var random = SeededGenerator(number: 50)
    let spelled = (1...40).map { Spelled($0, &random) }
    let searches = (0..<(TestSize.isLong ? 2000 : 500)).map { _ in
      var parts: [SpelledText] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let part = SpelledText.random(1...1, &random)
        if !parts.contains(where: { $0.text == part.text }) { parts.append(part) }
      }
      if let last = parts.popLast() {
        let typed = Bool.random(using: &random) ? last.beginning(&random) : last
        if !parts.contains(where: { $0.text == typed.text }) { parts.append(typed) }
      }
      var query = SearchQuery(parts.map(\.text).joined(separator: " "), now: now, limit: 10)
      query.includesExpired = Bool.random(using: &random)
      let ids = results(of: parts, in: spelled, includesExpired: query.includesExpired)
      return (query, Array(ids.prefix(query.limit)))
    }
    return (spelled, searches)
  }()

  @Test(
    "a search finds and ranks what a look at each text finds, however words are spelled",
    arguments: StoreKind.allCases)
  func searches(kind: StoreKind) async throws {
    let (spelled, searches) = Self.searched
    let store = try await Self.store(kind, spelled)
    for (query, expected) in searches {
      let ids = try await store.search(query).hits.map(\.offer.ref.offerID)
      #expect(ids == expected, "\(query.words)")
      if ids != expected { return }
    }
  }

  /// A list by looking at each offer.
  private static func list(_ query: OfferQuery, of spelled: [Spelled], _ names: [SpelledText?])
    -> [String]
  {
    var offers = spelled.filter { offer in
      (query.includesExpired || !offer.isExpired)
        && (names[0].map { $0.order == offer.retailer.order } ?? true)
        && (names[1].map { name in offer.categories.contains { $0.order == name.order } } ?? true)
    }
    if query.isReversed { offers.reverse() }
    if query.sort == .name {
      // The sort is stable.
      offers.sort {
        let (one, other) = query.isReversed ? ($1, $0) : ($0, $1)
        return one.name.order.lexicographicallyPrecedes(other.name.order)
      }
    }
    return (offers.filter { !$0.isExpired } + offers.filter(\.isExpired)).map(\.id)
  }

  @Test(
    "a list has the offers and the order that a look at each name gives, however they are spelled",
    arguments: StoreKind.allCases)
  func lists(kind: StoreKind) async throws {
    var random = SeededGenerator(number: 51)
    let spelled = (1...40).map { Spelled($0, &random) }
    let store = try await Self.store(kind, spelled)
    for _ in 0..<(TestSize.isLong ? 2000 : 500) {
      var query = OfferQuery(now: Self.now, sort: Bool.random(using: &random) ? .name : .feed)
      query.includesExpired = Bool.random(using: &random)
      query.isReversed = Bool.random(using: &random)
      let names = (0..<2).map { _ in
        Int.random(in: 0..<3, using: &random) == 0 ? SpelledText.random(1...1, &random) : nil
      }
      (query.retailer, query.category) = (names[0]?.text, names[1]?.text)
      let ids = try await store.fetchOffers(query).map(\.ref.offerID)
      let expected = Self.list(query, of: spelled, names)
      #expect(ids == expected, "\(query)")
      if ids != expected { return }
    }
  }
}
