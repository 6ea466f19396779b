import Foundation

/// Tests offers in memory against a selection: those that a sync has just written, for many watches at once.
///
/// The statements of OffersStore select the same offers (`OfferConditions`); StoreRules compares the two. Offers that
/// only a search on a feed's server found are not tested in this way. Whether a user hides an offer is tested apart
/// (`wantsHidden`).
package struct OfferMatcher: Sendable {
  private let selection: Selection
  private let now: Date
  private let words: SearchWords?
  private let categories: (wanted: [[UInt8]], unwanted: [[UInt8]])
  private let retailers: (wanted: [[UInt8]], unwanted: [[UInt8]])

  /// - Parameters:
  ///   - selection: the selection.
  ///   - now: the time at which offers count as expired.
  /// - Throws: `OffersError` with `invalidRequest` for words beyond the limits of a search.
  package init(_ selection: Selection, at now: Date) throws {
    self.selection = selection
    self.now = now
    words = selection.words.isEmpty ? nil : try SearchWords(selection.words)
    categories = Self.keys(of: selection.categories)
    retailers = Self.keys(of: selection.retailers)
  }

  private static func keys(of names: NameChoice) -> (wanted: [[UInt8]], unwanted: [[UInt8]]) {
    (names.wanted.map(NaturalOrder.key), names.unwanted.map(NaturalOrder.key))
  }

  /// Whether it counts that an offer is a favorite.
  package var needsFavorites: Bool { selection.favoritesOnly }

  /// Whether the selected offers are the hidden ones among those that match, instead of the others.
  package var wantsHidden: Bool { selection.hiddenOnly }

  /// Whether an offer is in the selection.
  package func matches(_ candidate: OfferCandidate, isFavorite: Bool) -> Bool {
    let offer = candidate.offer
    if !Self.chooses(selection.feeds.wanted, selection.feeds.unwanted, [offer.ref.feed]) {
      return false
    }
    if selection.favoritesOnly, !isFavorite { return false }
    if selection.goneOnly != offer.isGone, selection.goneOnly || !selection.favoritesOnly {
      return false
    }
    if selection.excludesExpired, let end = offer.expiresAt,
      end <= Date(storedSeconds: now.storedSeconds)
    {
      return false
    }
    if !selection.hasWithinBounds(offer.reward, candidate.role) { return false }
    if let start = selection.newSince, offer.firstSeenAt.storedSeconds < start.nextSeconds {
      return false
    }
    if let range = selection.expiring {
      guard let end = offer.expiresAt?.storedSeconds, end >= range.lowerBound.nextSeconds,
        end <= range.upperBound.storedSeconds
      else { return false }
    }
    if let circle = selection.near {
      guard let latitude = offer.latitude, let longitude = offer.longitude,
        circle.contains(latitude: latitude, longitude: longitude)
      else { return false }
    }
    if !retailers.wanted.isEmpty || !retailers.unwanted.isEmpty {
      let key = offer.retailer.map { [NaturalOrder.key($0)] } ?? []
      if !Self.chooses(retailers.wanted, retailers.unwanted, key) { return false }
    }
    if !categories.wanted.isEmpty || !categories.unwanted.isEmpty {
      let keys = offer.categories.map(NaturalOrder.key)
      if !Self.chooses(categories.wanted, categories.unwanted, keys) { return false }
    }
    guard let words else { return true }
    if words.isEmpty, words.unwanted.isEmpty { return false }
    return words.parts.allSatisfy { $0.phrases.contains(where: candidate.has) }
      && !words.unwanted.contains(where: candidate.has)
  }

  /// Whether names have a wanted one, if there are any, and no unwanted one.
  private static func chooses<Name: Equatable>(
    _ wanted: [Name], _ unwanted: [Name], _ names: [Name]
  ) -> Bool {
    (wanted.isEmpty || names.contains(where: wanted.contains))
      && !names.contains(where: unwanted.contains)
  }

}

extension Selection {
  /// Whether it has bounds of a value.
  package var hasBounds: Bool {
    [rewardMinimum, rewardMaximum, priceMinimum, priceMaximum].contains { $0 != nil }
  }

  /// The selection without the bounds of a value.
  package var withoutBounds: Selection {
    var wide = self
    (wide.rewardMinimum, wide.rewardMaximum) = (nil, nil)
    (wide.priceMinimum, wide.priceMaximum) = (nil, nil)
    return wide
  }

  /// Whether a value is within the bounds.
  ///
  /// - Parameter role: the meaning of the value.
  package func hasWithinBounds(_ reward: Reward?, _ role: ValueRole) -> Bool {
    let isPrice = role == .price
    return Self.isWithin(reward, rewardMinimum, >=, isRole: !isPrice)
      && Self.isWithin(reward, rewardMaximum, <=, isRole: !isPrice)
      && Self.isWithin(reward, priceMinimum, >=, isRole: isPrice)
      && Self.isWithin(reward, priceMaximum, <=, isRole: isPrice)
  }

  private static func isWithin(
    _ reward: Reward?, _ bound: ValueBound?, _ compare: (Int64, Int64) -> Bool, isRole: Bool
  ) -> Bool {
    guard let bound else { return true }
    guard isRole, let value = reward?.value, let limit = bound.limit(in: value) else {
      return false
    }
    switch value {
    case .amount(let units, _): return compare(units, limit)
    case .percent(let hundredths): return compare(hundredths, limit)
    }
  }
}

/// An offer with the words of its texts, which are read once for many selections.
package struct OfferCandidate: Sendable {
  /// The key of the offer in its store.
  package let key: Int64
  package let offer: Offer
  /// The meaning of its value.
  package let role: ValueRole
  /// The words of each text, as the search index has them: those of a list are separated by `SearchDocument.gap`.
  private let texts: [[String]]

  /// - Parameters:
  ///   - key: the key of the offer in its store.
  ///   - offer: the offer.
  ///   - ownAttributes: its attributes without those that all offers of the feed share, which are not searched.
  ///   - role: the meaning of its value.
  package init(key: Int64, _ offer: Offer, ownAttributes: [OfferAttribute], role: ValueRole) {
    self.key = key
    self.offer = offer
    self.role = role
    texts = [
      Self.words(of: [offer.name]), Self.words(of: [offer.description].compactMap(\.self)),
      Self.words(of: [offer.terms].compactMap(\.self)),
      Self.words(of: [offer.retailer].compactMap(\.self)), Self.words(of: offer.categories),
      Self.words(of: ownAttributes.map(\.value)),
    ]
  }

  private static func words(of texts: [String]) -> [String] {
    var bytes: [UInt8] = []
    for var text in texts {
      if !bytes.isEmpty { bytes.append(contentsOf: "\(SearchDocument.gap) ".utf8) }
      text.withUTF8 { SearchDocument.append(UnsafeRawBufferPointer($0), to: &bytes) }
    }
    return bytes.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The different words.
  fileprivate var vocabulary: Set<String> { Set(texts.joined()) }

  /// Whether a text has a phrase.
  fileprivate func has(_ phrase: SearchWords.Phrase) -> Bool {
    texts.contains { Self.has(phrase, in: $0) }
  }

  private static func has(_ phrase: SearchWords.Phrase, in words: [String]) -> Bool {
    let count = phrase.words.count
    guard count > 0, words.count >= count else { return false }
    return (0...words.count - count).contains { start in
      phrase.words.indices.allSatisfy { place in
        let (word, wanted) = (words[start + place], phrase.words[place])
        return phrase.isOpen && place == count - 1
          ? word.utf8.starts(with: wanted.utf8) : word == wanted
      }
    }
  }
}

/// The offers that are tested against many selections, and an index of their words, so that most selections with words
/// are passed over without being parsed.
package struct OfferBatch: Sendable {
  package let offers: [OfferCandidate]
  /// The different words in the order of their bytes, with the places of the offers that have them.
  private let words: [(word: String, places: [Int])]

  package init(_ offers: [OfferCandidate]) {
    self.offers = offers
    var index: [String: [Int]] = [:]
    for (place, offer) in offers.enumerated() {
      for word in offer.vocabulary { index[word, default: []].append(place) }
    }
    words = index.map { ($0.key, $0.value) }.sorted {
      $0.word.utf8.lexicographicallyPrecedes($1.word.utf8)
    }
  }

  /// The places of the offers that may be in a selection, ascending.
  ///
  /// - Parameter key: the selection's `SearchWords.firstWords`; nil for all offers.
  package func places(with key: String?) -> [Int] {
    guard let key else { return Array(offers.indices) }
    var found: Set<Int> = []
    for part in key.utf8.split(separator: 0x20) {
      let isOpen = part.last == UInt8(ascii: "*")
      let wanted = isOpen ? part.dropLast() : part
      var (low, high) = (0, words.count)
      while low < high {
        let middle = (low + high) / 2
        if words[middle].word.utf8.lexicographicallyPrecedes(wanted) {
          low = middle + 1
        } else {
          high = middle
        }
      }
      while low < words.count, words[low].word.utf8.starts(with: wanted) {
        if isOpen || words[low].word.utf8.count == wanted.count {
          found.formUnion(words[low].places)
        }
        low += 1
        if !isOpen { break }
      }
    }
    return found.sorted()
  }
}

extension SearchWords {
  /// The words of which an offer must have one to have the longest part of the search, separated by spaces, a
  /// possible beginning with `*` behind it; nil if any offer may be found. It is stored with a watch.
  package var firstWords: String? {
    // A long word is rarely that of many offers.
    let part = parts.max { length($0) < length($1) }
    return part.map { part in
      Set(
        part.phrases.compactMap { phrase in
          phrase.words.first.map { phrase.isOpen && phrase.words.count == 1 ? $0 + "*" : $0 }
        }
      ).sorted().joined(separator: " ")
    }
  }

  private func length(_ part: Part) -> Int {
    part.phrases.compactMap { $0.words.first?.utf8.count }.min() ?? 0
  }
}
