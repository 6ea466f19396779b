import OffersCore

/// Proposes which members of an unknown document's items are which fields.
///
/// A member is chosen by its name, in several languages, if its values fit; an image or the items'
/// name also by its values alone. Items that lack the best member get the value of the next best
/// one.
struct FieldGuess {
  let survey: MemberSurvey
  let qualifiers: AmountQualifiers
  private(set) var fields: [OfferField: FieldRule] = [:]
  /// The members that each field comes from, the best first.
  private(set) var chosen: [OfferField: [SurveyedMember]] = [:]
  private(set) var notes: [String] = []
  /// The keys of members that a field already uses.
  private(set) var usedKeys: Set<[String]> = []

  private static let order: [OfferField] = [
    .latitude, .longitude, .imageURL, .url, .startsAt, .expiresAt, .name, .description, .terms,
    .reward, .retailer, .categories,
  ]
  private static let alternativeLimit = 3

  /// - Throws: `CancellationError`.
  init(_ survey: MemberSurvey) throws {
    self.survey = survey
    qualifiers = AmountQualifiers(survey.members)
    for field in Self.order {
      try Task.checkCancellation()
      choose(field)
    }
    completeName()
  }

  private mutating func choose(_ field: OfferField) {
    let ranked = ranked(field)
    guard let best = ranked.first else { return }
    var members = [best]
    if best.presence < 1, field != .latitude, field != .longitude {
      var covered = Set(best.values.keys)
      for member in ranked.dropFirst() where members.count < Self.alternativeLimit {
        // An alternative must add the field to a noticeable share of the items.
        let gain = Set(member.values.keys).subtracting(covered).count
        if gain * 50 < survey.itemCount { continue }
        covered.formUnion(member.values.keys)
        members.append(member)
      }
    }
    if field == .reward, saleDates(for: best) != nil { addRegularPrice(to: &members, ranked) }
    take(members, as: field)
  }

  /// Adds the price that counts outside the dates of a sale: one that is called the regular price, or
  /// another price that is none of a sale.
  private func addRegularPrice(to members: inout [SurveyedMember], _ ranked: [SurveyedMember]) {
    let prices = ranked.dropFirst().filter {
      FieldVocabulary.isPrice($0.words) && !FieldVocabulary.isSalePrice($0.words)
    }
    let regular = prices.first {
      $0.words.words.contains(where: FieldVocabulary.listPrices.contains)
    }
    guard let price = regular ?? prices.first else { return }
    members.removeAll { $0.keys == price.keys }
    members.insert(price, at: 1)
  }

  private mutating func take(_ members: [SurveyedMember], as field: OfferField) {
    chosen[field] = members
    usedKeys.formUnion(members.map(\.keys))
    let alternatives = members.map { alternative(for: $0, as: field) }
    fields[field] = FieldRule(alternatives: alternatives)
    for alternative in alternatives {
      if case .path(let path)? = alternative.currency { use(path) }
      if case .path(let path)? = alternative.minorUnits { use(path) }
      for path in alternative.sale?.paths ?? [] { use(path) }
    }
  }

  /// The members that fit a field, the best first.
  private func ranked(_ field: OfferField) -> [SurveyedMember] {
    var ranked: [(member: SurveyedMember, rank: Int)] = []
    // The dates of a sale price are not those of the offer.
    let saleDates = field == .startsAt || field == .expiresAt ? self.saleDates : []
    for member in survey.members
    where !usedKeys.contains(member.keys) && !saleDates.contains(member.path) {
      guard !member.values.isEmpty, let rank = FieldFit.rank(member, as: field) else { continue }
      // A sale price is rare by nature, and still takes precedence over the regular price.
      let rarity = field == .reward ? 0 : Int((1 - member.presence) * 20)
      ranked.append((member, rank + rarity))
    }
    // Swift's sort is stable: among equals, the first one in the document wins.
    return ranked.sorted { $0.rank < $1.rank }.map(\.member)
  }

  /// Returns how a field reads the values of a member.
  func alternative(
    for member: SurveyedMember, as field: OfferField
  ) -> FieldRule.Alternative {
    let path = field == .categories ? member.pathToAll : member.path
    var reading = field.defaultReading
    if [.name, .description, .terms].contains(field), member.hasMarkup { reading = .html }
    var alternative = FieldRule.Alternative(.path(path), reading: reading)
    if field == .reward {
      let isPercent = member.words.words.contains(where: FieldVocabulary.percentWords.contains)
      if isPercent, member.isMostlyNumber {
        alternative.value = .template(Template([.path(path), .literal(" %")]))
      } else if member.part(\.isNumber) > 0.1 {
        alternative.currency = currency(for: member)
        alternative.minorUnits = minorUnits(for: member)
      }
      alternative.sale = saleDates(for: member)
    }
    return alternative
  }

  /// Marks the member at this path as used, since it qualifies another one.
  private mutating func use(_ path: FieldPath) {
    usedKeys.formUnion(survey.members.filter { $0.path == path }.map(\.keys))
  }

  // MARK: The name

  /// Adds the description, the retailer and the reward as alternatives of the name while some items
  /// have none, since an item without a name is not an offer.
  private mutating func completeName() {
    if chosen[.name] == nil { nameByValues() }
    var members = chosen[.name] ?? []
    var rules = fields[.name]?.alternatives ?? []
    var covered = members.reduce(into: Set<Int>()) { $0.formUnion($1.values.keys) }
    for field in [OfferField.description, .retailer, .reward] {
      guard covered.count < survey.itemCount, let other = chosen[field]?.first,
        !Set(other.values.keys).isSubset(of: covered), other.part(\.hasLetters) > 0.5
      else { continue }
      covered.formUnion(other.values.keys)
      members.append(other)
      rules.append(
        FieldRule.Alternative(
          .path(other.path), reading: other.hasMarkup ? .html : .text,
          limitCharacters: field == .description ? 80 : nil))
    }
    if rules.isEmpty { return }
    chosen[.name] = members
    fields[.name] = FieldRule(alternatives: rules)
  }

  /// Chooses the member that looks most like a name, when none is called one.
  private mutating func nameByValues() {
    let texts = survey.members.filter { member in
      !usedKeys.contains(member.keys) && member.depth <= 2 && !member.isThroughList
        && member.presence > 0.5 && !FieldFit.isStranger(member)
        && FieldFit.fits(member, as: .name) && member.averageBytes <= 200
        && !member.words.words.contains(where: FieldVocabulary.sharedWords.contains)
    }
    let best = texts.max { Self.likeName($0) < Self.likeName($1) }
    guard let best else { return }
    take([best], as: .name)
    if !best.keys.isEmpty {
      notes.append("No member is called a name; “\(best.path)” looks like one.")
    }
  }

  private static func likeName(_ member: SurveyedMember) -> Double {
    let distinct = Double(member.distinctCount) / Double(max(1, member.values.count))
    let hasSpaces = member.values.values.count { $0.text.contains(" ") }
    return member.presence * distinct + Double(hasSpaces) / Double(max(1, member.values.count)) / 2
      - (member.depth > 1 ? 0.5 : 0)
  }

  /// Uses a member as the name, for want of a better one.
  mutating func takeAsName(_ member: SurveyedMember) {
    take([member], as: .name)
    notes.append("The items have no name; “\(member.path)” is shown.")
  }

  /// Uses the item's key as the name, for want of a better one.
  mutating func takeKeyAsName() {
    fields[.name] = FieldRule(.path(FieldPath([.ownKey(1)])))
    notes.append("The items have no name; their keys are shown instead.")
  }
}
