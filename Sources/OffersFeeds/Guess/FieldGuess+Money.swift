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
