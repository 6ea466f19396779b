import OffersCore

/// The members of the items that say how an amount is meant: its currency, its decimals, whether it is a
/// percentage, the texts that belong to it, and the dates of a sale.
struct MoneyMembers {
  private let currencies: [ItemMember]
  private let decimals: [ItemMember]
  private let kinds: [ItemMember]
  /// Texts without an amount, short enough to be a part of one.
  private let shortTexts: [ItemMember]
  private let percentages: [ItemMember]
  private let saleRanges: [ItemMember]
  private let saleStarts: [ItemMember]
  private let saleEnds: [ItemMember]

  init(_ members: [ItemMember]) {
    kinds = members.filter(\.saysKind)
    let members = members.filter { !$0.values.isEmpty }
    shortTexts = members.filter {
      $0.averageBytes <= 40 && $0.part { $0.isNumber || $0.isDate || $0.isAddress } < 0.2
    }
    percentages = members.filter { $0.words.joined == "percentoff" }
    currencies = members.filter {
      FieldNames.currencies.contains($0.words.joined)
        && $0.values.values.allSatisfy {
          CurrencyCode($0.uppercased()) != nil || PercentWord.isCurrency($0)
        }
    }
    decimals = members.filter {
      FieldNames.decimals.contains($0.words.joined)
        && $0.values.values.allSatisfy { Int($0).map { (0...6).contains($0) } == true }
    }
    let ofSales = members.filter { $0.words.has(oneOf: FieldNames.saleDates) }
    let dates = ofSales.filter { $0.part { $0.isDate || $0.isTimestamp } > 0.5 }
    saleStarts = dates.filter { $0.words.has(oneOf: FieldNames.starts) }
    saleEnds = dates.filter { $0.words.has(oneOf: FieldNames.ends) }
    saleRanges = ofSales.filter { $0.words.has(oneOf: ["dates", "effective"]) }
  }

  /// The path of the member that is nearest to an amount: one within the amount's own object, else one beside
  /// the amount.
  ///
  /// - Parameter orInItem: whether a member directly in the item is the last choice.
  private func nearest(
    _ members: [ItemMember], to amount: ItemMember, orInItem: Bool = true
  ) -> FieldPath? {
    let found =
      members.first { $0.keys.dropLast() == amount.keys[...] }
      ?? members.first { $0.keys.dropLast() == amount.keys.dropLast() }
      ?? (orInItem ? members.first { $0.depth <= 1 } : nil)
    return found?.path
  }

  /// The currency of an amount: that in a member near it or directly in the item, also as the unit of amounts
  /// of money beside percentages, otherwise the code at the end of the amount's name, as in `price_eur`; nil
  /// when there is none.
  func currency(of amount: ItemMember) -> CurrencyRule? {
    if let path = nearest(currencies, to: amount) { return .path(path) }
    if let kind = kindMember(of: amount), kind.saysCurrency { return .path(kind.path) }
    guard let code = amount.words.words.last?.uppercased(), code.utf8.count == 3,
      let currency = CurrencyCode(code), !currency.isWord
    else { return nil }
    return .constant(code)
  }

  /// The member near an amount that says whether it is a percentage; nil when there is none.
  func kind(of amount: ItemMember) -> FieldPath? { kindMember(of: amount)?.path }

  private func kindMember(of amount: ItemMember) -> ItemMember? {
    // One directly in the item may be the type of another thing, unless its name says so.
    let isOwn = { (kind: ItemMember) in
      kind.keys.dropLast() == amount.keys[...] || kind.keys.dropLast() == amount.keys.dropLast()
    }
    let close = kinds.filter(isOwn)
    let stem = amount.words.words.first
    return close.first { $0.words.words.first == stem && $0.keys != amount.keys } ?? close.first
      ?? kinds.first { $0.depth <= 1 }
  }

  /// The text beside an amount that is shown before or behind it, such as `2/`, `from` and `/lb`.
  func affix(of amount: ItemMember, isBefore: Bool) -> ItemMember? {
    shortTexts.first { member in
      guard member.keys.dropLast() == amount.keys.dropLast(), member.keys != amount.keys else {
        return false
      }
      if FieldNames.isAffix(member.words, in: member.owners.last, isBefore: isBefore) {
        return true
      }
      // `price_text` may be the whole price, too.
      return member.words.joined == "pricetext" && member.part(\.isMoney) < 0.5
        && isBefore == member.samples.contains { $0.hasSuffix("/") }
    }
  }

  /// The minor units of an amount, by a member near it or by its name; nil for major units.
  func minorUnits(of amount: ItemMember) -> MinorUnitsRule? {
    guard amount.part(\.isWhole) > 0.95 else { return nil }
    if let path = nearest(decimals, to: amount, orInItem: false) { return .path(path) }
    let owner = amount.owners.last?.words ?? []
    // Stripe's coupons have whole minor units beside the code of a currency in small letters.
    let isCoupon =
      amount.words.joined == "amountoff" && !percentages.isEmpty
      && currencies.contains {
        $0.keys.dropLast() == amount.keys.dropLast()
          && $0.samples.allSatisfy { $0 == $0.lowercased() }
      }
    let isMoney = amount.words.joined == "amount" && owner.count > 1 && owner.last == "money"
    let isMinor =
      amount.words.joined.hasPrefix("unitamount") || amount.words.has(oneOf: FieldNames.minorWords)
    return isMoney || isMinor || isCoupon ? .currency : nil
  }

  /// The dates of a sale price: those of members beside it or directly in the item; nil for another
  /// price, and when there are none.
  func saleDates(of price: ItemMember) -> SaleDatesRule? {
    guard price.words.has(oneOf: FieldNames.sales), price.fits(.reward) else { return nil }
    if let range = nearest(saleRanges, to: price) { return .range(range) }
    let (from, until) = (nearest(saleStarts, to: price), nearest(saleEnds, to: price))
    return from == nil && until == nil ? nil : .bounds(from: from, until: until)
  }
}

extension ItemMember {
  /// Whether the values say that amounts are percentages or money, as those of `discount_type` and
  /// `is_percent` do.
  fileprivate var saysKind: Bool {
    let isNamed = words.has(oneOf: FieldNames.percentWords) || words.joined.contains("percent")
    let texts = samples.map { $0.lowercased() }
    if isNamed {
      let isFlag = texts.allSatisfy {
        ["true", "false", "0", "1", "y", "n", "yes", "no"].contains($0)
      }
      return values.isEmpty ? otherCount > 0 : isFlag
    }
    let isClear = texts.contains { $0 == "%" || FieldNames.percentWords.contains($0) }
    guard !texts.isEmpty, words.has(oneOf: FieldNames.amountKinds) || isClear else { return false }
    guard texts.allSatisfy({ $0.utf8.count <= 30 && Double($0) == nil }) else { return false }
    // Beside `percent` any other word stands for another kind of amount.
    return texts.contains(where: PercentWord.isPercent)
      || texts.contains(where: PercentWord.isMoney)
        && texts.allSatisfy {
          PercentWord.isMoney($0) || $0.contains("ship") || $0.contains("bogo")
            || $0.contains("free")
        }
  }

  /// Whether the values, besides those for a percentage, are signs or codes of currencies.
  fileprivate var saysCurrency: Bool {
    let texts = samples.filter { !PercentWord.isPercent($0) }
    return !texts.isEmpty && texts.allSatisfy(PercentWord.isCurrency)
  }
}
