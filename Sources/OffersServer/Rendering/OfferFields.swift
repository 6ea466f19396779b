import Foundation
import OffersCore
import OffersStore

extension PageFields {
  /// The maximum length of a name within an accessible label, in characters.
  private static let spokenCharacters = 80

  /// The fields of an offer's card for a user: with that user's star.
  init(
    card offer: UserOffer, _ presentation: FeedPresentation, at now: Date, back: String,
    feedTitle: String? = nil
  ) {
    self.init(card: offer.offer, presentation, at: now, feedTitle: feedTitle)
    set("isFavorite", offer.isFavorite)
    set("starTo", offer.isFavorite ? "0" : "1")
    set("back", back)
  }

  /// The fields of an offer's card that are the same for all users.
  ///
  /// - Parameter feedTitle: the headline of an offer without a reward and without a retailer; nil for the
  ///   name of the feed.
  init(
    card offer: Offer, _ presentation: FeedPresentation, at now: Date, feedTitle: String? = nil
  ) {
    self.init { fields in
      let value = presentation.valueText(of: offer)
      fields.set("ref", offer.ref.description)
      fields.set("href", PageLinks.offer(offer.ref))
      fields.set("name", offer.name)
      fields.set("spokenName", String(offer.name.prefix(Self.spokenCharacters)))
      fields.set("headline", value ?? offer.retailer ?? feedTitle ?? offer.ref.feed)
      fields.set("reward", value)
      fields.set(amountOf: value, value: offer.reward?.value)
      fields.set("ends", offer.expiresAt.map { end in ["endsAt": end] as PageFields })
      fields.set("byline", presentation.byline(of: offer).map(DayText.words))
      fields.set("isGone", offer.isGone)
      fields.set("isExpired", offer.isExpired(at: now))
      fields.set("image", PageLinks.image(of: offer))
      fields.set("initial", Self.initial(of: offer.name))
      fields.set("hue", Self.hue(of: offer.name))
    }
  }

  /// Adds the further fields that some layouts of feeds show on a card, such as the description.
  mutating func describe(_ offer: Offer, _ presentation: FeedPresentation) {
    let attributes = Dictionary(
      offer.attributes.map { ($0.label.lowercased(), $0.shownValue) },
      uniquingKeysWith: { one, _ in one })
    let genre = offer.shownCategories.first ?? attributes["genre"]
    set("description", offer.description)
    set("category", offer.categories.first)
    let byline = presentation.byline(of: offer)
    set("artist", byline ?? attributes["artist"] ?? attributes["author"] ?? offer.retailer)
    let released = attributes["released"] ?? attributes["published"]
    set("released", released == byline ? nil : released.map(DayText.words))
    set("genre", genre)
    set("rating", attributes["rating"])
    set("address", attributes["address"])
    setPlace(of: offer)
  }

  mutating func setPlace(of offer: Offer) {
    guard let coordinates = Coordinates(offer) else { return }
    set(
      "place",
      PageFields { $0.set(coordinates) })
  }

  mutating func set(_ coordinates: Coordinates) {
    set("latitude", coordinates.latitudeText)
    set("longitude", coordinates.longitudeText)
    set("coordinates", coordinates.text)
  }

  /// The placeholder for an image: the first letter or digit of a name, or a bullet.
  static func initial(of name: String) -> String {
    name.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "•"
  }

  /// The number of the placeholder's color, from 0 to 5, derived from the name.
  static func hue(of name: String) -> Int {
    var hash = ContentHash(seed: 1)
    var name = name
    name.withUTF8 { hash.combine(UnsafeRawBufferPointer($0)) }
    return Int(hash.value % 6)
  }
}

extension Offer {
  /// The categories, with `Music` last: Apple's charts name it for every album, before or behind its genre.
  var shownCategories: [String] {
    let general = "Music"
    return categories.filter { $0 != general } + categories.filter { $0 == general }
  }
}

extension FeedPresentation {
  /// The reward of an offer as printed, or its price with the word for it; nil without either.
  func valueText(of offer: Offer) -> String? { offer.reward.map { valueText($0) } }

  func valueText(_ value: Reward) -> String {
    valueRole == .price ? "Price \(value.text)" : value.text
  }
}

extension PageFields {
  /// Sets the colors that are shown in place of the offer's picture until it has arrived, from the top.
  mutating func set(_ colors: [String: PictureColors], of offer: Offer) {
    guard let colors = offer.imageURLText.flatMap({ colors[$0]?.colors }) else { return }
    set(
      "blur",
      [
        "bands": colors.enumerated().map { row, color in
          ["row": String(row), "color": color] as PageFields
        }
      ] as PageFields)
  }
}

/// The good news of the last days, by offer: that it is new, or that it pays more or costs less than
/// before. Cards show it as a label.
struct GoodNewsLabels: Sendable {
  private struct Item: Sendable {
    let kind: OfferChange.Kind
    let at: Date
  }
  private let items: [OfferRef: Item]

  /// How many days a change is shown as news, and an end ahead as one that is near. Scripts get the
  /// number from here, to hide older labels of stored pages.
  static let days = 3
  /// The size of a text in the changes that are read, of which none is shown.
  private static let textBytes = 64

  init(of offers: [Offer], in store: OffersDatabase, at now: Date) async throws {
    var changes: [OfferChange] = []
    if !offers.isEmpty {
      let start = now.addingTimeInterval(-Double(Self.days) * 86_400)
      var query = ChangeQuery(since: start, kinds: [.up, .down], now: now)
      // Changes of this kind cannot be looked up by their offers alone.
      if offers.contains(where: { $0.firstSeenAt >= start }) { query.kinds?.insert(.new) }
      query.textBytes = Self.textBytes
      query.offers = Set(offers.map(\.ref))
      changes = try await store.fetchChanges(query).changes
    }
    items = Dictionary(
      changes.compactMap { change in
        change.offer.map { ($0.ref, Item(kind: change.kind, at: change.at)) }
      }, uniquingKeysWith: { $1 })
  }

  /// The fields of the label of an offer; nil for no news, and for bad ones.
  func fields(of ref: OfferRef, _ presentation: FeedPresentation) -> PageFields? {
    guard let item = items[ref] else { return nil }
    let isPrice = presentation.valueRole == .price
    let words: (kind: String, label: String)
    switch item.kind {
    case .new: words = ("new", "New")
    case .up where !isPrice: words = ("up", "Went up")
    case .down where isPrice: words = ("up", "Price down")
    default: return nil
    }
    return ["newsKind": words.kind, "newsLabel": words.label, "newsAt": item.at]
  }
}

/// A printed reward or price in three parts, so that pages can show its amount larger than the words
/// around it: `Up to $12.00 Cash Back` is `Up to`, `$12.00` and `Cash Back`.
struct PrintedAmount: Equatable {
  /// The words before the amount; nil for none.
  let lead: String?
  let amount: String
  /// The words behind the amount; nil for none.
  let rest: String?
  /// Whether the text names no exact amount, so that `amount` is the whole text.
  let isWords: Bool

  /// - Parameter value: its exact value; nil for none. In a text without one, a number may mean anything:
  ///   `Buy 2, get 1 free`.
  init(_ text: String, value: Reward.Value?) {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    var currency: String?
    if case .amount(_, let code) = value { currency = code }
    func isUnit(_ word: String) -> Bool { word == currency || Self.isUnit(word) }
    guard value != nil, var first = words.firstIndex(where: { $0.contains(where: \.isNumber) })
    else {
      self.init(lead: nil, amount: text, rest: nil, isWords: true)
      return
    }
    var end = first + 1
    while end < words.count, words[end].contains(where: \.isNumber) || isUnit(words[end]) {
      end += 1
    }
    if first > 0, isUnit(words[first - 1]) { first -= 1 }
    func joined(_ range: Range<Int>) -> String? {
      range.isEmpty ? nil : words[range].joined(separator: " ")
    }
    self.init(
      lead: joined(0..<first), amount: joined(first..<end) ?? text,
      rest: joined(end..<words.count), isWords: false)
  }

  private init(lead: String?, amount: String, rest: String?, isWords: Bool) {
    self.lead = lead
    self.amount = amount
    self.rest = rest
    self.isWords = isWords
  }

  /// Whether a word belongs to the number beside it, as the code of its currency does: a sign of a
  /// currency, a percent sign, or the dash of a range.
  private static func isUnit(_ word: String) -> Bool {
    if ["%", "kr", "kr.", "zł", "Kč", "円", "元", "–", "-"].contains(word) { return true }
    return word.count <= 3
      && word.unicodeScalars.contains { $0.properties.generalCategory == .currencySymbol }
  }
}

extension PageFields {
  /// Sets the parts of a printed reward or price; nil sets nothing.
  mutating func set(amountOf text: String?, value: Reward.Value?) {
    guard let text else { return }
    let parts = PrintedAmount(text, value: value)
    set("amountLead", parts.lead)
    set("amount", parts.amount)
    set("amountRest", parts.rest)
    set("isWords", parts.isWords)
  }
}

/// Days as people write them. The scripts of the pages write them anew in the time zone of the
/// browser.
enum DayText {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  private static let weekdays = [
    "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
  ]

  /// A text that is an ISO 8601 date, such as `2025-01-05`, as `5 January 2025`; any other text as it
  /// is.
  static func words(_ text: String) -> String {
    guard let day = day(text) else { return text }
    return "\(day.day) \(months[Int(day.month) - 1]) \(day.year)"
  }

  /// The heading of a day: `Today`, `Yesterday`, `Tuesday, 24 November`, and in another year
  /// `24 November 2025`.
  ///
  /// - Parameter today: the current day, in the same time zone.
  static func heading(_ text: String, today: String) -> String {
    guard let day = day(text), let current = Self.day(today) else { return text }
    switch current.number - day.number {
    case 0: return "Today"
    case 1: return "Yesterday"
    case -1: return "Tomorrow"
    default: break
    }
    guard day.year == current.year else { return words(text) }
    let weekday = weekdays[Int(((day.number % 7) + 7) % 7)]
    return "\(weekday), \(day.day) \(months[Int(day.month) - 1])"
  }

  /// The day of a text that is an ISO 8601 date and nothing else; nil for any other text.
  private static func day(_ text: String) -> CivilDay? {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard text.utf8.count == 10, parts.map(\.count) == [4, 2, 2],
      parts.allSatisfy({ $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
      let year = Int(String(parts[0]) ?? ""), let month = Int(String(parts[1]) ?? ""),
      let day = Int(String(parts[2]) ?? "")
    else { return nil }
    return CivilDay(year: year, month: month, day: day)
  }
}
