import OffersCore

extension FieldGuess {
  /// The meaning of the items' value: a price if the name of the chosen member, or of an object
  /// around it, says so and none announces a payment or a discount; otherwise a reward.
  var valueRole: ValueRole {
    guard let member = chosen[.reward]?.first else { return .reward }
    let names = member.keys.map { KeyWords($0) }
    if names.contains(where: FieldVocabulary.isReward) { return .reward }
    return names.contains(where: FieldVocabulary.isPrice) ? .price : .reward
  }

  /// The currency of an amount: that in a member near it or directly in the item, otherwise the
  /// code at the end of the amount's name, as in `price_eur`; nil when there is none.
  func currency(for reward: SurveyedMember) -> CurrencyRule? {
    let named = survey.members.filter { member in
      FieldVocabulary.currencyNames.contains(member.words.joined)
        && !member.values.isEmpty
        && member.values.values.allSatisfy { CurrencyCode($0.text.uppercased()) != nil }
    }
    if let nearest = nearest(to: reward, among: named) ?? named.first(where: { $0.depth <= 1 }) {
      return .path(nearest.path)
    }
    guard let code = reward.words.words.last?.uppercased(), code.utf8.count == 3,
      let currency = CurrencyCode(code), !currency.isWord
    else { return nil }
    return .constant(code)
  }

  /// The minor units of an amount, by a member near it or by its name; nil for major units.
  func minorUnits(for reward: SurveyedMember) -> MinorUnitsRule? {
    guard reward.part(\.isWhole) > 0.95 else { return nil }
    let places = survey.members.filter { member in
      FieldVocabulary.placesNames.contains(member.words.joined)
        && !member.values.isEmpty
        && member.values.values.allSatisfy { Int($0.text).map { (0...6).contains($0) } == true }
    }
    if let nearest = nearest(to: reward, among: places) { return .path(nearest.path) }
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
    func path(_ names: Set<String>) -> FieldPath? {
      let dates = survey.members.filter { member in
        names.contains(Self.plainName(member.words)) && !member.values.isEmpty
      }
      return (nearest(to: price, among: dates) ?? dates.first { $0.depth <= 1 })?.path
    }
    if let range = path(FieldVocabulary.saleRanges) { return .range(range) }
    let bounds = (from: path(FieldVocabulary.saleStarts), until: path(FieldVocabulary.saleEnds))
    if bounds.from == nil, bounds.until == nil { return nil }
    return .bounds(from: bounds.from, until: bounds.until)
  }

  /// The paths of the dates of all sale prices.
  var saleDates: Set<FieldPath> {
    let prices = survey.members.filter { FieldFit.fits($0, as: .reward) }
    return Set(prices.flatMap { saleDates(for: $0)?.paths ?? [] })
  }

  /// The words of a name without a zone at its end, as in `date_on_sale_to_gmt`.
  private static func plainName(_ words: KeyWords) -> String {
    words.words.filter { $0 != "gmt" && $0 != "utc" }.joined()
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

  /// The first of `members` that is within the amount's own object, otherwise the first in the
  /// object that contains the amount.
  private func nearest(
    to reward: SurveyedMember, among members: [SurveyedMember]
  ) -> SurveyedMember? {
    let owner = reward.keys.dropLast()
    return members.first { $0.keys.dropLast().elementsEqual(reward.keys) }
      ?? members.first { $0.keys.dropLast().elementsEqual(owner) }
  }
}
