import OffersCore

/// Proposes the values from which an id is made, for items that have no id.
///
/// Only stable values qualify: an id made from a price changes with the price, and favorites under
/// the old id would no longer match.
struct MadeIdentity {
  /// The name, and further members as needed to distinguish the items.
  private(set) var parts: [SurveyedMember] = []
  private(set) var problem: OffersError?

  private let survey: MemberSurvey
  private static let partLimit = 4
  /// The maximum number of members that are tested, of those that are stable and of those that change.
  /// Each test is a pass over all items.
  private static let candidateLimit = 40

  /// - Throws: `CancellationError`.
  init(_ survey: MemberSurvey, _ fields: FieldGuess) throws {
    self.survey = survey
    let changing = Self.changing(survey, fields)
    let changingKeys = Set(changing.map(\.keys))
    let isStable = { (member: SurveyedMember) in !changingKeys.contains(member.keys) }
    parts = (fields.chosen[.name] ?? []).filter(isStable)
    let addresses = survey.members.filter(Self.isAddress)
    // The name does not distinguish the shops of a chain; their addresses do.
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
    try add((found + addresses + named + late + others).prefix(Self.candidateLimit))
    let known = try combinations(parts)
    // A few items that are alike are probably offers that the feed lists twice; a note reports
    // them.
    if known * 10 >= survey.itemCount * 9 { return }
    var (all, allCount) = (parts, known)
    for member in changing.prefix(Self.candidateLimit) where allCount < survey.itemCount {
      let count = try combinations(all + [member])
      if count > allCount { (all, allCount) = (all + [member], count) }
    }
    guard let name = fields.chosen[.name]?.first else { return }
    if allCount > known {
      let names = all.dropFirst(parts.count).map { "\($0.path)" }
      problem = Self.problem(names, parts: all)
    }
    if parts.isEmpty { parts = [name] }
  }

  /// Adds each member, in this order, that distinguishes more of the items.
  private mutating func add(_ members: ArraySlice<SurveyedMember>) throws {
    var known = try combinations(parts)
    for member in members {
      if known == survey.itemCount || parts.count >= Self.partLimit { break }
      if parts.contains(where: { $0.keys == member.keys }) { continue }
      let next = try combinations(parts + [member])
      if next > known {
        parts.append(member)
        known = next
      }
    }
  }

  /// The number of different combinations of the members' values, among the items that have any of
  /// them.
  private func combinations(_ members: [SurveyedMember]) throws -> Int {
    try Task.checkCancellation()
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
      advice: Hint(
        "If these do not change, write a definition with id: {made-from: [\(list)]}. Otherwise map a "
          + "stable value.", command: "--map id=…"))
  }

  // MARK: Stable and changing members

  /// The members whose values may change while the offer stays the same.
  private static func changing(
    _ survey: MemberSurvey, _ fields: FieldGuess
  ) -> [SurveyedMember] {
    let taken: [OfferField] = [.reward, .description, .terms, .expiresAt, .startsAt, .imageURL]
    let name = fields.chosen[.name]?.first
    return survey.members.filter { member in
      // A member that is the items' only name identifies them, even if it reads like a description.
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

  /// Whether a member is a single short text of the item.
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

  /// Words for amounts, counts, times, states and other values that change.
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
