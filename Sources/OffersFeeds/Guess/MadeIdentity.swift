import OffersCore

/// Proposes the values that an id is made from, where the items have none.
///
/// Only what stays as it is will do: an id that is made from a price is another one when the price
/// changes, and with it goes what a person kept under it.
struct MadeIdentity {
  /// The name, and as much else as it takes to tell the items apart.
  private(set) var parts: [SurveyedMember] = []
  private(set) var problem: OffersError?

  private let survey: MemberSurvey
  private static let partLimit = 4
  /// Each one that is tried costs a look at all items.
  private static let candidateLimit = 40

  init(_ survey: MemberSurvey, _ fields: FieldGuess) {
    self.survey = survey
    let changing = Self.changing(survey, fields)
    let isStable = { (member: SurveyedMember) in !changing.contains { $0.keys == member.keys } }
    parts = (fields.chosen[.name] ?? []).filter(isStable)
    let addresses = survey.members.filter(Self.isAddress)
    // Two shops of a chain have one name.
    if fields.chosen[.latitude] != nil, let address = addresses.first(where: { $0.presence > 0.9 })
    {
      parts.append(address)
    }
    let found = [OfferField.retailer].compactMap { fields.chosen[$0]?.first }
    let late = [OfferField.categories, .url].compactMap { fields.chosen[$0]?.first }
    let texts = survey.members.filter { Self.isPlain($0) && isStable($0) }
    let named = texts.filter(Self.isNamedStable)
    let others = texts.filter { member in
      !Self.isNamedStable(member) && member.part(\.hasLetters) > 0.8
    }
    add(found + addresses + named + late + others.prefix(Self.candidateLimit))
    let known = combinations(parts)
    // A few that are alike may be the same offer twice, and are told as such.
    if known * 10 >= survey.itemCount * 9 { return }
    var all = parts
    for member in changing.prefix(Self.candidateLimit)
    where combinations(all + [member]) > combinations(all) {
      all.append(member)
    }
    guard let name = fields.chosen[.name]?.first else { return }
    if combinations(all) > known {
      let names = all.dropFirst(parts.count).map { "\($0.path)" }
      problem = Self.problem(names, parts: all)
    }
    if parts.isEmpty { parts = [name] }
  }

  /// Adds what tells more of the items apart, in this order.
  private mutating func add(_ members: [SurveyedMember]) {
    var known = combinations(parts)
    for member in members {
      if known == survey.itemCount || parts.count >= Self.partLimit { break }
      if parts.contains(where: { $0.keys == member.keys }) { continue }
      let next = combinations(parts + [member])
      if next > known {
        parts.append(member)
        known = next
      }
    }
  }

  /// How many items the members tell apart.
  private func combinations(_ members: [SurveyedMember]) -> Int {
    let items = members.reduce(into: Set<Int>()) { $0.formUnion($1.values.keys) }
    return Set(items.map { item in members.map { $0.values[item]?.text } }).count
  }

  private static func problem(_ names: [String], parts: [SurveyedMember]) -> OffersError {
    let shown = names.joined(separator: " and ")
    let list = parts.map { "\($0.path)" }.joined(separator: ", ")
    return OffersError(
      .unexpectedShape,
      "Only \(shown) \(names.count == 1 ? "distinguishes" : "distinguish") the offers, and an id must "
        + "be made from values that do not change.",
      hint: "Map a stable value with --map id=…, or write a definition with "
        + "id: {made-from: [\(list)]} if these do not change.")
  }

  // MARK: What stays as it is

  /// The members whose values may be others tomorrow while the offer is the same.
  private static func changing(
    _ survey: MemberSurvey, _ fields: FieldGuess
  ) -> [SurveyedMember] {
    let taken: [OfferField] = [.reward, .description, .terms, .expiresAt, .startsAt, .imageURL]
    let name = fields.chosen[.name]?.first
    return survey.members.filter { member in
      // What is all the name that the items have is what they are.
      let isReward = fields.chosen[.reward]?.contains { $0.keys == member.keys } == true
      if member.keys == name?.keys, !isReward { return false }
      return taken.contains { field in
        fields.chosen[field]?.contains { $0.keys == member.keys } == true
          || !isNamedStable(member) && FieldVocabulary.rank(member.words, as: field) != nil
      } || isChanging(member)
    }
  }

  private static func isChanging(_ member: SurveyedMember) -> Bool {
    if member.isMostlyDate || member.isMostlyImage || member.hasMarkup { return true }
    if member.words.words.contains(where: changingWords.contains) { return true }
    if isNamedStable(member) || isAddress(member) { return false }
    return member.part(\.isMoney) > 0.2
  }

  /// Whether a member is one short text of the item.
  private static func isPlain(_ member: SurveyedMember) -> Bool {
    !member.isThroughList && !member.keys.isEmpty && member.depth <= 2
      && member.averageBytes <= 120 && !member.isMostlyAddress && member.part(\.isOpaque) < 0.2
  }

  private static func isAddress(_ member: SurveyedMember) -> Bool {
    !member.isThroughList && member.depth <= 2 && member.part(\.hasLetters) > 0.5
      && addressWords.contains {
        member.words.joined == $0 || member.words.words.first == $0
      }
  }

  private static func isNamedStable(_ member: SurveyedMember) -> Bool {
    member.words.words.contains(where: stableWords.contains)
      && !member.words.words.contains(where: changingWords.contains)
  }

  private static let addressWords = [
    "address", "street", "adresse", "strasse", "direccion", "indirizzo", "rue",
  ]

  private static let stableWords: Set = [
    "brand", "marke", "marca", "marque", "manufacturer", "hersteller", "model", "modell", "modelo",
    "modele", "variant", "variante", "size", "groesse", "format", "weight", "gewicht", "volume",
    "inhalt", "pack", "package", "unit", "einheit", "color", "colour", "farbe",
    "flavor", "flavour", "sorte", "edition", "author", "artist", "platform", "city", "ort", "stadt",
    "ciudad", "ville", "zip", "plz", "postal", "postcode", "region", "country", "branch",
    "filiale", "location", "year", "language",
  ]

  /// Words of amounts, counts, times and states.
  private static let changingWords: Set = [
    "price", "preis", "precio", "prix", "prezzo", "cost", "amount", "discount", "rabatt", "sale",
    "savings", "saving", "was", "old", "cashback", "reward", "percent", "off", "count", "counts",
    "votes", "vote", "likes", "views", "clicks", "comments", "rating", "ratings", "score", "rank",
    "ranking", "position", "popularity", "reviews", "stock", "available", "availability", "status",
    "inventory", "remaining", "left", "sold", "badge", "hits", "downloads", "updated",
    "modified", "created", "published", "date", "time", "timestamp", "datum", "expires", "ends",
    "starts", "valid", "token", "cursor", "index", "hash", "etag",
    "description", "image", "picture", "photo", "thumbnail", "bild",
  ]
}
