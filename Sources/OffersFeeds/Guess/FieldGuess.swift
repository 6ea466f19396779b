import OffersCore

/// Proposes which members of an unknown document's items are which fields.
///
/// A member is chosen by its name, in several languages, if its values fit; an image or the items'
/// name also by its values alone. Items that lack the best member get the value of the next best
/// one.
struct FieldGuess {
  let members: [ItemMember]
  let itemCount: Int
  private(set) var fields: [OfferField: FieldRule] = [:]
  /// The members that each field comes from, the best first.
  private(set) var chosen: [OfferField: [ItemMember]] = [:]
  private(set) var notes: [String] = []
  /// The keys of members that a field already uses.
  private(set) var usedKeys: Set<[String]> = []
  /// The members that say how amounts are meant.
  private let money: MoneyMembers

  private static let order: [OfferField] = [
    .latitude, .longitude, .imageURL, .url, .startsAt, .expiresAt, .name, .description, .terms,
    .reward, .retailer, .categories,
  ]
  private static let alternativeLimit = 3

  /// - Parameter dateOrder: the order of the numbers in dates, if the values do not prove one.
  /// - Throws: `CancellationError`.
  init(_ items: [SampleValue], dateOrder: DateOrder? = nil) throws {
    members = try ItemMember.all(of: items, dateOrder: dateOrder)
    itemCount = items.count
    money = MoneyMembers(members)
    for field in Self.order {
      try Task.checkCancellation()
      choose(field)
    }
    completeName()
  }

  private mutating func choose(_ field: OfferField) {
    let ranked = ranked(field)
    guard let best = ranked.first else { return }
    var found = [best]
    if field != .latitude, field != .longitude {
      var covered = Set(best.values.keys)
      for member in ranked.dropFirst() where found.count < Self.alternativeLimit {
        // An alternative must add the field to a noticeable share of the items.
        let gain = Set(member.values.keys).subtracting(covered).count
        if gain == 0 || gain * 50 < itemCount { continue }
        covered.formUnion(member.values.keys)
        found.append(member)
      }
    }
    if field == .reward, money.saleDates(of: best) != nil {
      // Outside the dates of a sale counts the price that is called the regular one, or another
      // price that is none of a sale.
      let prices = ranked.dropFirst().filter {
        FieldNames.isPrice($0.words) && !$0.words.has(oneOf: FieldNames.sales)
      }
      let regular = prices.first { $0.words.has(oneOf: FieldNames.listPrices) } ?? prices.first
      found.removeAll { $0.keys == regular?.keys }
      found.insert(contentsOf: [regular].compactMap(\.self), at: 1)
    }
    take(found, as: field)
  }

  private mutating func take(_ found: [ItemMember], as field: OfferField) {
    chosen[field] = found
    usedKeys.formUnion(found.map(\.keys))
    let alternatives = found.flatMap { withAffixes(alternative(for: $0, as: field), of: $0, field) }
    fields[field] = FieldRule(alternatives: alternatives)
    // The members that say how an amount is meant are used as well.
    let paths = alternatives.flatMap(\.qualifiers)
    usedKeys.formUnion(members.filter { paths.contains($0.path) }.map(\.keys))
  }

  /// The members that fit a field, the best first.
  private func ranked(_ field: OfferField) -> [ItemMember] {
    // The dates of a sale price are not those of the offer.
    let isDate = field == .startsAt || field == .expiresAt
    let saleDates = isDate ? members.flatMap { money.saleDates(of: $0)?.paths ?? [] } : []
    let ranked = members.compactMap { member -> (member: ItemMember, rank: Int)? in
      guard !member.values.isEmpty, !usedKeys.contains(member.keys),
        !saleDates.contains(member.path), let rank = member.rank(as: field)
      else { return nil }
      // A sale price is rare by nature, and still takes precedence over the regular price.
      return (member, rank + (field == .reward ? 0 : Int((1 - member.presence) * 20)))
    }
    // Swift's sort is stable: among equals, the first one in the document wins.
    return ranked.sorted { $0.rank < $1.rank }.map(\.member)
  }

  /// Returns how a field reads the values of a member.
  private func alternative(
    for member: ItemMember, as field: OfferField
  ) -> FieldRule.Alternative {
    let path = field == .categories ? FieldPath(member.steps) : member.path
    var reading = field.defaultReading
    if [.name, .description, .terms].contains(field), member.hasMarkup { reading = .html }
    var alternative = FieldRule.Alternative(.path(path), reading: reading)
    if field != .reward { return alternative }
    let kind = money.kind(of: member)
    let isPercentage =
      member.words.has(oneOf: FieldNames.percentWords)
      || kind == nil && FieldNames.isPercentage(member.words)
    if isPercentage, member.isMostlyNumber {
      alternative.value = .template(Template([.path(path), .literal(" %")]))
    } else if member.part(\.isNumber) > 0.1 {
      alternative.percent = kind
      alternative.currency = money.currency(of: member)
      alternative.minorUnits = money.minorUnits(of: member)
    }
    alternative.sale = money.saleDates(of: member)
    return alternative
  }

  /// The alternative of a price, before it those with the texts that belong to it, such as the `2/` before
  /// and the `/lb` behind it, of which an item may have both, one or none.
  private func withAffixes(
    _ plain: FieldRule.Alternative, of member: ItemMember, _ field: OfferField
  ) -> [FieldRule.Alternative] {
    // A text such as `price_text` is the whole price.
    guard field == .reward, case .path(let path) = plain.value, !member.words.words.contains("text")
    else { return [plain] }
    func part(_ affix: ItemMember?, isBefore: Bool) -> [Template.Part]? {
      guard let affix else { return nil }
      // Words are set apart from the number.
      let hasWords = affix.samples.contains { (isBefore ? $0.last : $0.first)?.isLetter == true }
      let gap: [Template.Part] = hasWords ? [.literal(" ")] : []
      return isBefore ? [.path(affix.path)] + gap : gap + [.path(affix.path)]
    }
    let before = part(money.affix(of: member, isBefore: true), isBefore: true)
    let behind = part(money.affix(of: member, isBefore: false), isBefore: false)
    let both = before.flatMap { before in behind.map { before + [.path(path)] + $0 } }
    let forms = [both, before.map { $0 + [.path(path)] }, behind.map { [.path(path)] + $0 }]
    return forms.compactMap(\.self).map { parts in
      var alternative = plain
      alternative.value = .template(Template(parts))
      // An amount with a text is not converted from cents.
      alternative.minorUnits = nil
      return alternative
    } + [plain]
  }

  /// Returns how a field reads the values at a path that the user chose; nil if there are none.
  func alternative(at path: FieldPath, for field: OfferField) -> FieldRule.Alternative? {
    guard let member = members.first(where: { $0.path == path && !$0.values.isEmpty })
    else { return nil }
    if field == .reward, member.part(\.isNumber) > 0.1 {
      return alternative(for: member, as: .reward)
    }
    // Fields that are dates or links are read as such, whatever the sample has.
    let isFree = field.defaultReading == .text && field.readings.contains(member.reading)
    return FieldRule.Alternative(
      .path(path), reading: isFree ? member.reading : field.defaultReading)
  }

  /// The order of the numbers in the items' dates; nil if it is not known, and if there are no such dates.
  var dateOrder: DateOrder? { members.lazy.compactMap(\.dateOrder).first }

  // MARK: The name

  /// Adds the description, the retailer and the reward as alternatives of the name while some items
  /// have none, since an item without a name is not an offer.
  private mutating func completeName() {
    if chosen[.name] == nil { nameByValues() }
    var found = chosen[.name] ?? []
    var rules = fields[.name]?.alternatives ?? []
    var covered = found.reduce(into: Set<Int>()) { $0.formUnion($1.values.keys) }
    for field in [OfferField.description, .retailer, .reward] {
      guard let other = chosen[field]?.first, !Set(other.values.keys).isSubset(of: covered),
        other.part(\.hasLetters) > 0.5
      else { continue }
      covered.formUnion(other.values.keys)
      found.append(other)
      rules.append(
        FieldRule.Alternative(
          .path(other.path), reading: other.hasMarkup ? .html : .text,
          limitCharacters: field == .description ? 80 : nil))
    }
    if rules.isEmpty { return }
    chosen[.name] = found
    fields[.name] = FieldRule(alternatives: rules)
  }

  /// Chooses the member that looks most like a name, when none is called one: names differ, have several
  /// words, and are no codes. Of coupons that may be the description, if it is short.
  private mutating func nameByValues() {
    func likeness(_ member: ItemMember) -> Int {
      let spaced = member.values.values.count { $0.contains(" ") }
      return member.depth > 1 ? member.distinctCount : 2 * member.distinctCount + spaced
    }
    let texts = members.filter { member in
      !usedKeys.contains(member.keys) && member.depth <= 2 && !member.isThroughList
        && member.presence > 0.5 && !member.isOfOther && member.fits(.name)
        && member.averageBytes <= 200 && !member.words.has(oneOf: FieldNames.shared)
        && !FieldNames.isCode(member.words)
    }
    var best = texts.max { likeness($0) < likeness($1) }
    if let text = chosen[.description]?.first, text.averageBytes <= 80, text.depth <= 1,
      !text.hasMarkup, text.presence > 0.9, (best?.distinctCount ?? 0) * 2 <= text.distinctCount
    {
      best = text
      chosen[.description] = nil
      fields[.description] = nil
    }
    guard let best else { return }
    take([best], as: .name)
    if !best.keys.isEmpty {
      notes.append("No member is called a name; “\(best.path)” looks like one.")
    }
  }

  /// Uses a member as the name, for want of a better one; nil for the item's key.
  mutating func takeAsName(_ member: ItemMember?) {
    if let member { take([member], as: .name) }
    let path = member?.path ?? FieldPath([.ownKey(1)])
    fields[.name] = fields[.name] ?? FieldRule(.path(path))
    notes.append("The items have no name; “\(path)” is shown.")
  }

  // MARK: Amounts

  /// The meaning of the items' value: a price if the name of the chosen member, or of an object
  /// around it, says so and none announces a payment or a discount; otherwise a reward.
  var valueRole: ValueRole {
    guard let member = chosen[.reward]?.first else { return .reward }
    let names = member.owners + [member.words]
    if names.contains(where: FieldNames.isReward) { return .reward }
    return names.contains(where: FieldNames.isPrice) ? .price : .reward
  }

  /// Amounts in minor units apart from the reward. Shown as plain numbers they would be far too
  /// high.
  var otherMinorAmounts: [ItemMember] {
    members.filter { member in
      !usedKeys.contains(member.keys) && money.minorUnits(of: member) != nil
        && member.words.has(oneOf: FieldNames.minorWords.union(["price", "amount"]))
    }
  }
}

extension FieldRule.Alternative {
  /// The paths of the values that say how the amount is meant, or are shown with it.
  fileprivate var qualifiers: [FieldPath] {
    var paths = sale?.paths ?? []
    if case .template(let template) = value {
      paths += template.parts.compactMap { if case .path(let path) = $0 { path } else { nil } }
    }
    if let percent { paths.append(percent) }
    if case .path(let path)? = currency { paths.append(path) }
    if case .path(let path)? = minorUnits { paths.append(path) }
    return paths
  }
}

extension ItemMember {
  /// The rank of the member for a field, the lower the better; nil when it does not fit.
  fileprivate func rank(as field: OfferField) -> Int? {
    guard fits(field) else { return nil }
    let rank = rankByName(as: field)
    switch field {
    case .imageURL:
      // Small images come after large ones. A low number counts the images.
      let size = words.number.map { $0 > 15 ? min(9, $0 / 100 + 1) : 0 } ?? 0
      let cost = (words.has(oneOf: FieldNames.smallImages) ? 20 : 0) - size
      return (rank ?? (isMostlyImage ? 150 + 50 * depth : nil)).map { $0 + cost }
    case .reward:
      // A percentage comes after prices, and a text that announces a discount before them.
      let isPercent = FieldNames.isPercentage(words)
      let cost = isPercent ? 60 : FieldNames.isPromise(words) && !isMostlyNumber ? -15 : 0
      return rank.map { $0 + cost }
    default: return rank
    }
  }

  private func rankByName(as field: OfferField) -> Int? {
    let listCost = isThroughList && field != .categories ? 10 : 0
    guard let owner = owners.last, depth > 1 else {
      return FieldNames.rank(words, as: field).map { $0 + listCost }
    }
    let isMain = FieldNames.isMain(words, of: field)
    if isMain, depth == 2 || !isOfOther, let rank = FieldNames.rank(owner, as: field) {
      return rank + 5 + listCost + 50 * (depth - 2)
    }
    switch field {
    case .reward where isMain && !isOfOther && owners.count > 1:
      // `pricing.sale.value` is the sale price.
      let names =
        owners.dropLast().contains {
          $0.joined == "pricing" || FieldNames.rank($0, as: .reward) != nil
        } ? KeyWords(owner.joined + "_price") : owner
      if let rank = FieldNames.rank(names, as: field) { return rank + 5 }
    // Below `images` there may be several sizes of an image, of which `source` is the largest.
    case .imageURL where owner.joined == "source" && words.joined == "url":
      if keys.contains("images") { return 10 }
    // `valid.from` is `valid_from`.
    case .startsAt, .expiresAt:
      let names = KeyWords(owner.joined + "_" + words.joined)
      if let rank = FieldNames.rank(names, as: field) { return rank + 5 }
    default: break
    }
    let isPlace = field == .latitude || field == .longitude
    let isPicture = field == .imageURL && !words.words.contains("avatar")
    guard !isOfOther || isPlace || isPicture, !isThroughList || isPlace else { return nil }
    return FieldNames.rank(words, as: field).map { $0 + 100 * (depth - 1) }
  }

  /// Whether the values have the field's type. The member's name matters only for the fields name,
  /// reward and link, whose values alone do not tell.
  func fits(_ field: OfferField) -> Bool {
    switch field {
    case .name:
      // A member that is called name or title may have some unusual values.
      let oddLimit = ["name", "title"].contains(words.joined) ? 0.5 : 0.2
      return isMostlyProse && !isMostlyDate && part(\.isOpaque) < oddLimit && averageBytes <= 400
    case .description, .terms: return isMostlyProse && !isMostlyDate && part(\.isOpaque) < 0.2
    case .reward:
      if averageBytes > 120 || part(\.isAddress) > 0.2 { return false }
      return part(\.isMoney) >= 0.5
        || FieldNames.isPromise(words) && part { $0.isMoney || $0.hasLetters } > 0.8
    case .imageURL:
      return part { $0.isAddress || $0.isImage || $0.isWord } > 0.8
        && part { $0.isAddress || $0.isImage } > 0.1
    case .url: return isMostlyAddress && !isMostlyImage && !isCalledImage
    case .startsAt, .expiresAt:
      // The name decides, so that a third of the values suffices, besides those that stand for no date.
      let dated = part { $0.isDate || $0.isTimestamp }
      return dated > 0 && dated * 3 >= 1 - part(\.meansNoDate)
    case .latitude, .longitude:
      let limit = field == .latitude ? 90.0 : 180.0
      return values.values.allSatisfy { Double($0).map { $0.magnitude <= limit } == true }
    case .id, .attributes: return false
    default: return isMostlyProse && averageBytes <= 120
    }
  }

  /// Whether the member's name is that of an image.
  var isCalledImage: Bool { FieldNames.rank(words, as: .imageURL).map { $0 <= 45 } == true }
}

/// Proposes attributes for the members of the items that no field uses.
enum AttributeGuess {
  private static let limit = 12
  /// The number of members that are compared with each other.
  private static let candidateLimit = 64

  /// The rules of the proposed attributes, at most `limit`.
  ///
  /// - Parameters:
  ///   - members: the members of the items.
  ///   - used: the keys of members that fields or the id already use.
  ///   - name: the member that is the name of the items; a member that repeats it is left out.
  static func rules(
    _ members: [ItemMember], used: Set<[String]>, name: ItemMember?
  ) -> [AttributeRule] {
    let shown = members.filter {
      !used.contains($0.keys) && isWorthShowing($0) && $0.values != name?.values
    }
    // URLs come last, since people rarely read them.
    let ordered = shown.filter { !$0.isMostlyAddress } + shown.filter(\.isMostlyAddress)
    // Of members that differ in the notation of dates or phone numbers only, the longest is shown.
    var kept: [ItemMember] = []
    var places: [[Int: String]: Int] = [:]
    for member in ordered.prefix(candidateLimit) {
      let meanings = meanings(of: member)
      if let place = places[meanings] {
        if member.averageBytes > kept[place].averageBytes, !member.isMostlyDate {
          kept[place] = member
        }
      } else {
        places[meanings] = kept.count
        kept.append(member)
      }
    }
    var rules: [AttributeRule] = []
    for member in kept where rules.count < limit {
      guard let label = label(for: member, taken: rules.map(\.label)) else { continue }
      rules.append(
        AttributeRule(label: label, rule: FieldRule(.path(member.path), reading: member.reading)))
    }
    return rules
  }

  private static func isWorthShowing(_ member: ItemMember) -> Bool {
    let (items, words) = (member.itemCount, member.words)
    guard !words.words.isEmpty, member.keys.last?.hasPrefix("_") != true, member.depth <= 2,
      !member.isThroughList, member.presence >= 0.2, member.otherCount * 20 <= items,
      // A value that is equal in all items says nothing about an offer, but for the day from which ends in
      // texts count.
      items < 5 || member.presence <= 0.9 || member.distinctCount > 1
        || member.isMostlyDate
          && TextReadings.isPublication(KeyWords.label(for: member.keys.last ?? "")),
      !member.isMostlyImage, !member.isMostlyAddress || !member.isCalledImage,
      member.part(\.isOpaque) <= 0.2, member.averageBytes <= 300
    else { return false }
    let name = vague.contains(words.joined) ? member.owners.last?.words.last : words.words.last
    return !unread.contains(name ?? "") && !(words.joined.hasSuffix("id") && member.isMostlyNumber)
  }

  private static func meanings(of member: ItemMember) -> [Int: String] {
    let isDate = member.isMostlyDate
    return member.values.mapValues { text in
      if isDate, let seconds = ValueTraits.seconds(text, order: member.dateOrder) {
        return "\(seconds)"
      }
      let letters = text.filter { $0.isLetter || $0.isNumber }.lowercased()
      return letters.count < 4 ? text : letters
    }
  }

  /// The label of a member: its key as words. Where the key is vague or already a label, the key of
  /// the member's object precedes it, or replaces a word like `name`. Nil when no label is left.
  private static func label(for member: ItemMember, taken: [String]) -> String? {
    let key = member.keys.last ?? ""
    var own = KeyWords.label(for: key)
    var long = own
    if let owner = member.keys.dropLast().last, member.depth > 1 {
      let isCarrier = FieldNames.carriers.contains(member.words.joined)
      // `shipping.price` is Shipping, and `variant.price` Variant price.
      let isPrice = prices.contains(member.words.joined) && !FieldNames.isPrice(KeyWords(owner))
      let isFee = isPrice && KeyWords(owner).has(oneOf: FieldNames.fees)
      long = KeyWords.label(for: isCarrier || isFee ? owner : "\(owner)_\(key)")
      if isPrice { own = long }
    }
    let labels = vague.contains(member.words.joined) ? [long] : [own, long]
    return labels.first { !$0.isEmpty && $0.count <= 100 && !taken.contains($0) }
  }

  /// A key that ends in one of these words has a value for programs, which is not proposed as an
  /// attribute.
  private static let unread: Set = [
    "id", "ids", "guid", "uuid", "oid", "cursor", "typename", "etag",
  ]

  private static let prices: Set = ["price", "preis", "precio", "prezzo", "prix", "cost", "amount"]

  private static let vague: Set = [
    "name", "title", "value", "text", "label", "type", "count", "rate", "amount", "code", "t", "",
    "displayname", "rendered", "url", "href", "min", "max", "average", "total", "description",
  ]
}
