import OffersCore

/// Ranks how well a member of an item fits a field of an offer.
enum FieldFit {
  /// Returns the rank of a member for a field, the lower the better; nil when the member does not
  /// fit.
  static func rank(_ member: SurveyedMember, as field: OfferField) -> Int? {
    guard fits(member, as: field) else { return nil }
    if let rank = rankByName(member, as: field) {
      return rank + (field == .imageURL ? imageCost(member) : 0)
        + (field == .reward ? rewardCost(member) : 0)
    }
    if field == .imageURL, member.isMostlyImage {
      return 150 + 50 * member.depth + imageCost(member)
    }
    return nil
  }

  private static func rankByName(_ member: SurveyedMember, as field: OfferField) -> Int? {
    let listCost = member.isThroughList && field != .categories ? 10 : 0
    if member.depth <= 1 || member.keys.isEmpty {
      return FieldVocabulary.rank(member.words, as: field).map { $0 + listCost }
    }
    guard let owner = member.ownerWords else { return nil }
    let leaf = member.words
    let main = field == .reward ? FieldVocabulary.withoutUnit(leaf) : leaf.joined
    if FieldVocabulary.carriers(of: field).contains(main),
      let rank = FieldVocabulary.rank(owner, as: field), member.depth == 2 || !isStranger(member)
    {
      return rank + 5 + listCost + 50 * (member.depth - 2)
    }
    if field == .reward, FieldVocabulary.carriers(of: field).contains(main), !isStranger(member) {
      let isPrice = member.owners.dropLast().contains { FieldVocabulary.isPriceHolder($0) }
      if isPrice, FieldVocabulary.salePrices.contains(owner.joined) { return 20 }
      if isPrice, FieldVocabulary.listPrices.contains(owner.joined) { return 45 }
    }
    // Below `images` there may be several sizes of an image, of which `source` is the largest.
    if field == .imageURL, owner.joined == "source", leaf.joined == "url",
      member.keys.contains("images")
    {
      return 10
    }
    if let rank = FieldVocabulary.rank(KeyWords(owner.joined + "_" + leaf.joined), as: field),
      field == .startsAt || field == .expiresAt
    {
      return rank + 5
    }
    let isPlace = field == .latitude || field == .longitude
    if isStranger(member), !isPlace, field != .imageURL || member.words.words.contains("avatar") {
      return nil
    }
    guard let rank = FieldVocabulary.rank(leaf, as: field), !member.isThroughList || isPlace
    else { return nil }
    return rank + 100 * (member.depth - 1)
  }

  /// Whether a member is within an object that describes a shop, a person or another thing than the
  /// offer, according to the object's key.
  static func isStranger(_ member: SurveyedMember) -> Bool {
    member.owners.contains { FieldVocabulary.strangers.contains($0.joined) }
  }

  /// Whether the values have the field's type. The member's name matters only for the fields name,
  /// reward and link, whose values alone do not tell.
  static func fits(_ member: SurveyedMember, as field: OfferField) -> Bool {
    switch field {
    case .name:
      // A member that is called name or title may have some unusual values.
      let oddLimit = ["name", "title"].contains(member.words.joined) ? 0.5 : 0.2
      return member.part(\.isAddress) < 0.2 && member.part(\.hasLetters) > 0.5
        && !member.isMostlyDate && member.part(\.isOpaque) < oddLimit
        && member.averageBytes <= 400
    case .description, .terms:
      return member.part(\.isAddress) < 0.2 && member.part(\.hasLetters) > 0.5
        && !member.isMostlyDate && member.part(\.isOpaque) < 0.2
    case .reward:
      if member.averageBytes > 120 || member.part(\.isAddress) > 0.2 { return false }
      return member.part(\.isMoney) >= 0.5
        || isPromise(member) && member.part { $0.isMoney || $0.hasLetters } > 0.8
    case .imageURL:
      return member.part { $0.isAddress || $0.isImage || $0.isWord } > 0.8
        && member.part { $0.isAddress || $0.isImage } > 0.1
    case .url:
      let isPicture =
        member.isMostlyImage
        || FieldVocabulary.rank(member.words, as: .imageURL).map { $0 <= 45 } == true
      return member.isMostlyAddress && !isPicture
    case .startsAt, .expiresAt: return member.part { $0.isDate || $0.isTimestamp } > 0.8
    case .latitude, .longitude:
      let limit = field == .latitude ? 90.0 : 180.0
      return member.values.values.allSatisfy {
        Double($0.text).map { $0.magnitude <= limit } == true
      }
    case .id, .attributes: return false
    default:
      return member.part(\.isAddress) < 0.2 && member.part(\.hasLetters) > 0.5
        && member.averageBytes <= 120
    }
  }

  /// Whether the member's name announces a payment or a discount, so that texts without a number
  /// count as rewards as well.
  private static func isPromise(_ member: SurveyedMember) -> Bool {
    ["reward", "cashback", "discount", "rabatt", "descuento", "remise", "sconto", "savings"]
      .contains { member.words.joined.hasPrefix($0) }
  }

  /// The number to add to the rank of an image, so that small ones come after large ones.
  private static func imageCost(_ member: SurveyedMember) -> Int {
    let small: Set = ["thumb", "thumbnail", "small", "icon", "logo", "favicon", "avatar", "mini"]
    let words = member.words.words
    var cost = words.contains(where: small.contains) ? 20 : 0
    if let number = member.words.number, number > 0 { cost -= min(9, number / 100 + 1) }
    return cost
  }

  /// The number to add to the rank of a reward: a percentage comes after prices, and a text that
  /// announces a payment or a discount before them.
  private static func rewardCost(_ member: SurveyedMember) -> Int {
    let isPercent = member.words.words.contains(where: FieldVocabulary.percentWords.contains)
    if isPercent { return 60 }
    return isPromise(member) && !member.isMostlyNumber ? -15 : 0
  }
}
