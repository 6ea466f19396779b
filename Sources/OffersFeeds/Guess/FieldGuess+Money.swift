import OffersCore

extension FieldGuess {
  /// The meaning of the items' value: a price if the name of the chosen member, or of an object
  /// around it, says so and none announces a payment or a discount; otherwise a reward.
  var valueRole: ValueRole {
    guard let member = chosen[.reward]?.first else { return .reward }
    let names = member.owners + [member.words]
    if names.contains(where: FieldVocabulary.isReward) { return .reward }
    return names.contains(where: FieldVocabulary.isPrice) ? .price : .reward
  }

  /// The currency of an amount: that in a member near it or directly in the item, otherwise the
  /// code at the end of the amount's name, as in `price_eur`; nil when there is none.
  func currency(for reward: SurveyedMember) -> CurrencyRule? {
    if let member = qualifiers.currencies.nearest(to: reward, orInItem: true) {
      return .path(member.path)
    }
    guard let code = reward.words.words.last?.uppercased(), code.utf8.count == 3,
      let currency = CurrencyCode(code), !currency.isWord
    else { return nil }
    return .constant(code)
  }

  /// The minor units of an amount, by a member near it or by its name; nil for major units.
  func minorUnits(for reward: SurveyedMember) -> MinorUnitsRule? {
    guard reward.part(\.isWhole) > 0.95 else { return nil }
    if let member = qualifiers.places.nearest(to: reward) { return .path(member.path) }
    let words = reward.words
    let isMoney =
      words.joined == "amount" && reward.ownerWords.map { $0.words.count > 1 } == true
      && reward.ownerWords?.words.last == "money"
    let isMinor =
      words.joined.hasPrefix("unitamount")
      || words.words.contains(where: FieldVocabulary.minorWords.contains)
    return isMoney || isMinor ? .currency : nil
  }

  /// The dates of a sale price: those of members beside it or directly in the item; nil for another
  /// price, and when there are none.
  func saleDates(for price: SurveyedMember) -> SaleDatesRule? {
    guard FieldVocabulary.isSalePrice(price.words) else { return nil }
    if let range = qualifiers.saleRanges.nearest(to: price, orInItem: true) {
      return .range(range.path)
    }
    let bounds = (
      from: qualifiers.saleStarts.nearest(to: price, orInItem: true)?.path,
      until: qualifiers.saleEnds.nearest(to: price, orInItem: true)?.path
    )
    if bounds.from == nil, bounds.until == nil { return nil }
    return .bounds(from: bounds.from, until: bounds.until)
  }

  /// The paths of the dates of all sale prices.
  var saleDates: Set<FieldPath> {
    let prices = survey.members.filter { FieldFit.fits($0, as: .reward) }
    return Set(prices.flatMap { saleDates(for: $0)?.paths ?? [] })
  }

  /// Prices that neither a field nor an attribute shows.
  func leftOutPrices(_ attributes: [AttributeRule]) -> [SurveyedMember] {
    let shown = attributes.flatMap { $0.rule.alternatives.map(\.value) }
    return survey.members.filter { member in
      !usedKeys.contains(member.keys) && !shown.contains(.path(member.path))
        && FieldVocabulary.isPrice(member.words) && member.part(\.isMoney) >= 0.5
    }
  }

  /// Amounts in minor units apart from the reward. Shown as plain numbers they would be far too
  /// high.
  var otherMinorAmounts: [SurveyedMember] {
    survey.members.filter { member in
      let words = member.words.words
      return !usedKeys.contains(member.keys) && minorUnits(for: member) != nil
        && words.contains {
          $0 == "price" || $0 == "amount" || FieldVocabulary.minorWords.contains($0)
        }
    }
  }
}

/// The members of the items that say how an amount is meant: its currency, its decimals, and the dates of a
/// sale.
struct AmountQualifiers {
  private(set) var currencies = MembersByOwner()
  private(set) var places = MembersByOwner()
  private(set) var saleRanges = MembersByOwner()
  private(set) var saleStarts = MembersByOwner()
  private(set) var saleEnds = MembersByOwner()

  init(_ members: [SurveyedMember]) {
    for member in members where !member.values.isEmpty {
      let name = member.words.joined
      // A name without the zone at its end, as in `date_on_sale_to_gmt`.
      let plain = member.words.words.filter { $0 != "gmt" && $0 != "utc" }.joined()
      if FieldVocabulary.currencyNames.contains(name),
        member.values.values.allSatisfy({ CurrencyCode($0.text.uppercased()) != nil })
      {
        currencies.add(member)
      }
      if FieldVocabulary.placesNames.contains(name),
        member.values.values.allSatisfy({ Int($0.text).map { (0...6).contains($0) } == true })
      {
        places.add(member)
      }
      if FieldVocabulary.saleRanges.contains(plain) { saleRanges.add(member) }
      if FieldVocabulary.saleStarts.contains(plain) { saleStarts.add(member) }
      if FieldVocabulary.saleEnds.contains(plain) { saleEnds.add(member) }
    }
  }
}

/// The first member of each object of the items.
struct MembersByOwner {
  /// The members by the keys of the object that contains them.
  private var members: [ArraySlice<String>: SurveyedMember] = [:]
  /// The first member that is directly in the item.
  private var direct: SurveyedMember?

  mutating func add(_ member: SurveyedMember) {
    let owner = member.keys.dropLast()
    if members[owner] == nil { members[owner] = member }
    if direct == nil, member.depth <= 1 { direct = member }
  }

  /// The member within an amount's own object, else the one in the object that contains the amount.
  ///
  /// - Parameter orInItem: whether one directly in the item is the next choice.
  func nearest(to amount: SurveyedMember, orInItem: Bool = false) -> SurveyedMember? {
    members[amount.keys[...]] ?? members[amount.keys.dropLast()] ?? (orInItem ? direct : nil)
  }
}
