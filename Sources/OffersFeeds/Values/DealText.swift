import OffersCore

/// Finds the reward or the price that the title or description of an offer states, for an offer whose feed has no
/// member for it.
///
/// Amounts and percentages are those of `RewardParser`. An amount counts as a reward only beside a word for a
/// saving (`save £3`, `5 € Rabatt`, `-20 %`), and as a price only beside one for a price (`from $3`, `2 for $5`)
/// or at the end of a title. A text that states two different ones has no reading. The work is linear in the
/// size of the text: each number and word is looked at within a window of constant size.
struct DealText {
  /// The version of the rules; see `RewardParser.rules`.
  static let rules = "4"

  /// The result of a search for a reward or a price in a text.
  enum Finding: Equatable {
    case none
    /// The part of the text that states the reward or price, as it is printed.
    case one(String)
    /// The text states several, and it is unclear which of them counts.
    case several
  }

  let text: UnsafeRawBufferPointer
  /// The text in lower case.
  let low: UnsafeRawBufferPointer
  let rewards: RewardParser
  let role: ValueRole
  private let isTitle: Bool
  /// Rewards; of a text about prices, the prices.
  var main: [Range<Int>] = []
  /// Multiple prices and free deliveries, which count where there is no other reward.
  var minor: [Range<Int>] = []
  private var isUnclear = false
  /// The last number of the text.
  var last: Last?
  /// The numbers of amounts in the text that are prices only by their place, and that are nothing known.
  private var placedCount = 0
  private var otherCount = 0

  /// A number that may be the first of a span.
  struct Last {
    var range: Range<Int>
    /// Whether the range is in `main`.
    var isMain: Bool
    /// The amount or percentage; nil for another number.
    var printed: RewardParser.Printed?
    /// The hundredths of a number without a sign; nil for one that is ambiguous, and for a reward.
    var hundredths: Int64?
  }

  /// - Parameters:
  ///   - text: a title or a description.
  ///   - role: what is sought.
  ///   - isTitle: whether an amount at the end of the text is its price.
  ///   - rewards: the parser of the feed's amounts.
  static func find(
    in text: String, role: ValueRole, isTitle: Bool, _ rewards: RewardParser
  ) -> Finding {
    FoldedText.search(text) { plain, low, print in
      var deal = DealText(text: plain, low: low, rewards: rewards, role: role, isTitle: isTitle)
      deal.scan()
      return deal.reading(print)
    }
  }

  private init(
    text: UnsafeRawBufferPointer, low: UnsafeRawBufferPointer, rewards: RewardParser,
    role: ValueRole, isTitle: Bool
  ) {
    self.text = text
    self.low = low
    self.rewards = rewards
    self.role = role
    self.isTitle = isTitle
  }

  private func reading(_ print: (Range<Int>) -> String) -> Finding {
    if isUnclear || placedCount > 0 && otherCount > 0 { return .several }
    let found = main.isEmpty ? minor : main
    // A title with an amount that is not clear is not explained by another one in the description.
    if role == .price, isTitle, found.isEmpty, otherCount > 0 { return .several }
    guard let first = found.first else { return .none }
    let value = meaning(first)
    return found.allSatisfy { meaning($0) == value } ? .one(print(first)) : .several
  }

  /// The value of a part of the text, by which two parts are the same; of one without a value its words.
  private func meaning(_ range: Range<Int>) -> String {
    let part = UnsafeRawBufferPointer(rebasing: text[range])
    let value = rewards.parse(part)
    if value.kind == 0 {
      return String(decoding: low[range].filter { $0 > 0x20 }, as: UTF8.self)
    }
    return "\(value.kind) \(value.number) \(value.currency) \(value.isUpTo)"
  }

  private mutating func scan() {
    var index = 0
    while index < low.count {
      let isStart = !CharacterScan.isInWord(low, at: index)
      if CharacterScan.isDigit(low[index]) {
        index =
          isStart || low[index - 1] & 0x80 != 0 || hasCode(before: index)
          ? number(at: index) : digitsEnd(index)
      } else if isStart, CharacterScan.isLetter(low[index]) {
        index = word(at: index)
      } else {
        index += 1
      }
    }
  }

  /// Whether a code or word for a currency is directly before a digit, as in `Rs500`. `FR935` is a model: Swiss
  /// francs are `Fr. 935`.
  private func hasCode(before digit: Int) -> Bool {
    let letters = low[max(0, digit - 4)..<digit].reversed().prefix(while: CharacterScan.isLetter)
    return letters.count < 4 && !letters.elementsEqual("rf".utf8)
      && rewards.findPrinted(in: text, at: digit).map { $0.range.lowerBound < digit } == true
  }

  func digitsEnd(_ start: Int) -> Int {
    var end = start
    while end < low.count, CharacterScan.isDigit(low[end]) { end += 1 }
    return end
  }

  /// The whole number of at most three digits at an index, in digits or in a word.
  func count(at start: Int) -> (value: Int, end: Int)? {
    let end = digitsEnd(start)
    if (1...3).contains(end - start) {
      return (low[start..<end].reduce(0) { $0 * 10 + Int($1 - 0x30) }, end)
    }
    guard start < low.count else { return nil }
    for (word, value) in DealWords.numbers where word.utf8Start[0] == low[start] {
      if let end = CharacterScan.findEnd(of: word, in: low, at: start) { return (value, end) }
    }
    return nil
  }

  func skip(_ index: Int) -> Int { CharacterScan.skipSpaces(low, from: index) }

  func findEnd(_ phrases: [StaticString], at index: Int) -> Int? {
    guard index < low.count else { return nil }
    let first = low[index]
    for phrase in phrases where phrase.utf8Start[0] == first {
      if let end = CharacterScan.findEnd(of: phrase, in: low, at: index) { return end }
    }
    return nil
  }

  func findStart(_ phrases: [StaticString], endingAt index: Int) -> Int? {
    for phrase in phrases {
      if let start = CharacterScan.findStart(of: phrase, in: low, endingAt: index) { return start }
    }
    return nil
  }
}

/// Single amounts and percentages.
extension DealText {
  /// Reads the number that begins at an index; returns the index from which to go on.
  private mutating func number(at start: Int) -> Int {
    if let end = multiple(at: start) { return end }
    guard let printed = rewards.findPrinted(in: text, at: start) else {
      return bareNumber(at: start)
    }
    var saving = saving(printed)
    let joined = joined(to: printed, isSaving: saving != nil)
    // In `save 10% on one, 15% on two` the second is a saving, too.
    if saving == nil, !main.isEmpty, role == .reward,
      conditionEnd(printed.range.upperBound, isDirect: false) != nil
    {
      isUnclear = true
    }
    // In `save 10-20%` the word for the saving is before the first number.
    if saving == nil, printed.isPlausible, let joined, joined.printed == nil, !joined.isMain,
      words(before: joined.range.lowerBound).saving != nil
    {
      saving = printed.range
    }
    var range = saving ?? printed.range
    var isMain = saving != nil && role == .reward
    if role == .price, saving == nil, let price = price(printed) { (range, isMain) = (price, true) }
    if let joined, isMain || joined.isMain {
      // The first number of the span may have counted alone.
      let first = (joined.isMain ? main.popLast() : nil) ?? joined.range
      let words = words(before: first.lowerBound)
      range = (words.saving ?? words.limit ?? first.lowerBound)..<range.upperBound
      isMain = true
    }
    if isMain { main.append(range) }
    last = Last(range: range, isMain: isMain, printed: printed)
    let end = isMain && role == .price ? deliveryEnd(range.upperBound) : range.upperBound
    return max(end, start + 1)
  }

  /// Notes a number that is neither an amount nor a percentage; returns the index after it.
  private mutating func bareNumber(at start: Int) -> Int {
    let number = PrintedNumber(text, at: start)
    let end = number?.end ?? digitsEnd(start)
    let custom = PrintedNumber.Custom(allowsDecimalComma: true, isGroupedByCommas: false)
    last = Last(
      range: start..<end, isMain: false, printed: nil, hundredths: number?.units(2, custom))
    return end
  }

  /// The number before another one if both are the ends of a span or a choice, as in `10–20 %`.
  private mutating func joined(to printed: RewardParser.Printed, isSaving: Bool) -> Last? {
    guard let last, last.range.upperBound <= printed.range.lowerBound else { return nil }
    let between = skip(last.range.upperBound)
    let end = CharacterScan.skipSpacesBack(low, from: printed.range.lowerBound)
    guard between < end else { return nil }
    let isJoined = DealWords.joints.contains {
      end - between == $0.utf8CodeUnitCount && CharacterScan.stands($0, in: low, at: between)
    }
    if !isJoined || last.isMain && last.printed == nil { return isJoined ? last : nil }
    guard let first = last.printed else {
      guard let hundredths = last.hundredths, isLess(hundredths, than: printed) else { return nil }
      let isTight =
        between == last.range.upperBound && end == printed.range.lowerBound
        && !CharacterScan.isLetter(low[between])
      switch lead(before: last.range.lowerBound) {
      case .open: return last
      case .name: return nil
      case .word where isTight: return last
      case .word:
        // In `Shirt 10 to 20% off` the first number may belong to either.
        if CharacterScan.isLetter(low[between]), isSaving { isUnclear = true }
        return nil
      }
    }
    // In `$20 - 50% off` and `$20 - $5 off` the first is a price; `$5 or 20% off` is unclear.
    guard first.isPercent == printed.isPercent else {
      if CharacterScan.isLetter(low[between]), isSaving || last.isMain { isUnclear = true }
      return nil
    }
    if let low = first.value, let high = printed.value, low >= high { return nil }
    return last
  }

  /// Whether a number without a sign may be the low end of a span to an amount or percentage: it is less, and no
  /// year.
  private func isLess(_ hundredths: Int64, than printed: RewardParser.Printed) -> Bool {
    if (190_000...210_000).contains(hundredths), !printed.isPercent { return false }
    guard let value = printed.value else { return true }
    let (scaled, overflows) = hundredths.multipliedReportingOverflow(by: printed.unit)
    return !overflows && scaled / 100 < value
  }

  /// The kind of text that is before a number without a sign.
  private enum Lead {
    /// The start of the text or of a clause, or a word that may be before an amount.
    case open
    /// Another word.
    case word
    /// A part of a date, code or fraction, or a word whose number follows it, as in `Size 4`.
    case name
  }

  private func lead(before start: Int) -> Lead {
    let edge = CharacterScan.skipSpacesBack(low, from: start)
    guard edge > 0 else { return .open }
    if findStart(DealWords.models, endingAt: edge) != nil { return .name }
    let byte = low[edge - 1]
    let isWord = CharacterScan.isInWord(low, at: edge)
    if edge == start, "/.,:'-".utf8.contains(byte) || isWord {
      return .name
    }
    let words = words(before: start)
    if words.saving != nil || words.limit != nil
      || findStart(DealWords.spanStarts + DealWords.openPrices, endingAt: edge) != nil
    {
      return .open
    }
    return isWord || CharacterScan.isDigit(byte) || byte == 0x2F
      || byte == 0x26 || byte == 0x2B ? .word : .open
  }

  /// The range of an amount with the words that make it a saving; nil if there are none.
  private mutating func saving(_ printed: RewardParser.Printed) -> Range<Int>? {
    let (start, end) = (printed.range.lowerBound, printed.range.upperBound)
    guard printed.isPlausible, printed.value != 0 else { return nil }
    let after = savingEnd(end)
    let minus = findMinus(before: start)
    let words = words(before: minus ?? start)
    let (before, edge) = (words.saving, words.edge)
    guard after != nil || before != nil || minus != nil else { return nil }
    if let before, after == nil {
      let edge = CharacterScan.skipSpacesBack(low, from: before)
      if isNegated(before) || findStart(DealWords.afterwards, endingAt: edge) != nil { return nil }
    }
    let open =
      after != nil && before == nil ? findStart(DealWords.openPrices, endingAt: edge) : nil
    let from = before ?? open ?? words.limit ?? start
    if isPrize(before: from) { return nil }
    let behind = after ?? end
    if let ordinal = ordinal(before: from) { return ordinal..<behind }
    let isOff = after != nil && CharacterScan.findStart(of: "off", in: low, endingAt: behind) != nil
    let condition = after == nil || isOff ? conditionEnd(behind, isDirect: isOff) : nil
    let rate = printed.isPercent ? nil : RewardWords.rateEnd(low, from: behind)
    let more = findEnd(DealWords.openEnds, at: skip(behind))
    return from..<(condition ?? ordinalEnd(behind) ?? rate ?? more ?? behind)
  }

  /// The words before an amount that belong to it: the start of the word for a saving, that of a word for a limit,
  /// and the index before which the words between them and the amount begin.
  private func words(before start: Int) -> (saving: Int?, limit: Int?, edge: Int) {
    // Words such as `an extra` and `up to` may be between the word for the saving and the amount.
    var first = start
    var limit: Int?
    for _ in 0..<4 {
      let edge = CharacterScan.skipSpacesBack(low, from: first)
      if let word = findStart(DealWords.limits, endingAt: edge) {
        (first, limit) = (word, word)
      } else if let filler = findStart(DealWords.fillers, endingAt: edge) {
        first = filler
      } else {
        break
      }
    }
    var edge = CharacterScan.skipSpacesBack(low, from: first)
    if edge > 0, low[edge - 1] == 0x3A { edge = CharacterScan.skipSpacesBack(low, from: edge - 1) }
    return (findStart(DealWords.savingsBefore, endingAt: edge), limit, edge)
  }

  /// The end of the words after an amount that make it a saving.
  func savingEnd(_ end: Int) -> Int? {
    var index = skip(end)
    if index == end, index < low.count, low[index] == 0x2D { index += 1 }
    guard let behind = findEnd(DealWords.savingsAfter, at: index) else { return nil }
    if findEnd(DealWords.vouchers, at: index) != nil, isSold(at: behind) { return nil }
    guard behind < low.count else { return behind }
    // `Off-road` and `back to school` are other words.
    if low[behind] == 0x2D, behind + 1 < low.count, CharacterScan.isLetter(low[behind + 1]) {
      return nil
    }
    let next = skip(behind)
    return findEnd(DealWords.otherAfter, at: next) == nil ? behind : nil
  }

  /// The index of a minus that is directly before an amount, with no other number before it.
  private func findMinus(before start: Int) -> Int? {
    let minuses: [StaticString] = ["-", "\u{2212}", "\u{2013}"]
    let minus = minuses.first {
      CharacterScan.stands($0, in: low, at: start - $0.utf8CodeUnitCount)
    }
    guard let minus else { return nil }
    let index = start - minus.utf8CodeUnitCount
    guard CharacterScan.isBoundary(low, before: index) || index > 0 && low[index - 1] == 0x5B
    else { return nil }
    let edge = CharacterScan.skipSpacesBack(low, from: index)
    return edge == 0 || !CharacterScan.isDigit(low[edge - 1]) && low[edge - 1] != 0x25 ? index : nil
  }

  /// The end of a condition after a saving, which is a number of things to buy or an amount to spend, as in
  /// `$1 off 2` and `save $1 when you buy 2`. With it the text has no exact value.
  ///
  /// - Parameter isDirect: whether the number may follow without a word such as `any`.
  private func conditionEnd(_ end: Int, isDirect: Bool) -> Int? {
    var index = skip(end)
    var isDirect = isDirect
    var hasWord = false
    for _ in 0..<3 {
      guard let next = findEnd(DealWords.conditions, at: index) else { break }
      (isDirect, hasWord) = (false, true)
      index = skip(next)
    }
    let hasBracket = index < low.count && low[index] == 0x28
    if hasBracket { index += 1 }
    guard index > end, index < low.count, isDirect || hasWord else { return nil }
    if isDirect, !CharacterScan.isDigit(low[index]), low[index] &- 0x61 >= 26 {
      // `$5 off $25`: an amount to spend.
      var digit = index
      while digit < low.count, digit < index + 5, !CharacterScan.isDigit(low[digit]),
        CharacterScan.spaceLength(low, at: digit) == 0
      {
        digit += 1
      }
      guard digit < low.count, let printed = rewards.findPrinted(in: text, at: digit),
        printed.range.lowerBound == index
      else { return nil }
      return printed.range.upperBound
    }
    guard let count = count(at: index), count.value > 0,
      count.end == low.count || low[count.end] < 0x80 && !"/:".utf8.contains(low[count.end])
    else { return nil }
    if !isDirect, rewards.findPrinted(in: text, at: index) != nil { return nil }
    // A size is no number of things: `12 oz`, `2-pack`.
    if count.end < low.count, low[count.end] == 0x2D || low[count.end] == 0x2E { return nil }
    if findEnd(DealWords.units, at: skip(count.end)) != nil || isDay(behind: count.end) {
      return nil
    }
    // One thing is no condition.
    if count.value == 1, CharacterScan.isDigit(low[index]) { return nil }
    return hasBracket && count.end < low.count && low[count.end] == 0x29 ? count.end + 1 : count.end
  }

  /// Whether a month follows a number that ends at an index, as in `off 24 December`.
  private func isDay(behind end: Int) -> Bool {
    let start = skip(findEnd(["st", "nd", "rd", "th", "."], at: end) ?? end)
    var cursor = DateCursor(UnsafeRawBufferPointer(rebasing: low[start...]))
    return cursor.takeName(in: DateParser.months) != nil
      && findEnd(["set", "gen"], at: start) == nil
  }

  /// The end of a word behind a saving that says that it is that of a second item, as in `50% off the second`.
  private func ordinalEnd(_ end: Int) -> Int? {
    var index = skip(end)
    for _ in 0..<3 {
      guard let next = findEnd(DealWords.conditions, at: index) else { break }
      index = skip(next)
    }
    let ordinal = findEnd(DealWords.ordinals, at: index)
    return ordinal.flatMap { $0 < low.count && CharacterScan.isDigit(low[$0]) ? nil : $0 }
  }

  /// The start of a word in the clause before a saving that says that it is that of a second item, as in
  /// `2nd at 50% off`.
  func ordinal(before start: Int) -> Int? {
    var index = start
    let limit = max(0, start - 24)
    while index > limit {
      index -= 1
      if ";!?()|\n".utf8.contains(low[index]) { return nil }
      if low[index] == 0x2E, index == 0 || !CharacterScan.isDigit(low[index - 1]) { return nil }
      guard index == 0 || " (\n".utf8.contains(low[index - 1]),
        let end = findEnd(DealWords.ordinals, at: index), isOrdinal(index..<end)
      else { continue }
      return index
    }
    return nil
  }

  /// Whether an ordinal number is that of an item: it is no day, no second, and no generation.
  private func isOrdinal(_ range: Range<Int>) -> Bool {
    let edge = CharacterScan.skipSpacesBack(low, from: range.lowerBound)
    if edge > 0, CharacterScan.isDigit(low[edge - 1]) { return false }
    let next = skip(range.upperBound)
    guard next < low.count, findEnd(DealWords.numbered, at: next) == nil else { return false }
    guard CharacterScan.isDigit(low[range.lowerBound]) else { return true }
    if !CharacterScan.isWordByte(low[next]) || isDay(behind: digitsEnd(range.lowerBound)) {
      return false
    }
    let start = CharacterScan.wordStart(low, endingAt: edge)
    var cursor = DateCursor(UnsafeRawBufferPointer(rebasing: low[start..<edge]))
    return cursor.takeName(in: DateParser.months) == nil
  }

  func isNegated(_ start: Int) -> Bool {
    let edge = CharacterScan.skipSpacesBack(low, from: start)
    return findStart(["no", "not", "kein", "keinen", "sin", "sans", "senza"], endingAt: edge) != nil
  }

  /// Whether an amount is one that can be won.
  private func isPrize(before start: Int) -> Bool {
    let first = max(0, start - 40)
    let window = UnsafeRawBufferPointer(rebasing: low[first..<start])
    let clause = window.lastIndex { ".;!?|".utf8.contains($0) || $0 == 0x0A }.map { $0 + 1 } ?? 0
    return (clause..<window.count).contains { index in
      !CharacterScan.isInWord(low, at: first + index)
        && DealWords.prizes.contains {
          $0.utf8Start[0] == window[index]
            && CharacterScan.findEnd(of: $0, in: window, at: index) != nil
        }
    }
  }

  /// Whether the price of a voucher is at an index, as in `$20 voucher for $10`.
  private func isSold(at start: Int) -> Bool {
    guard let joint = findEnd(DealWords.exchanges, at: skip(start)) else { return false }
    let price = skip(joint)
    return price < low.count
      && low[price..<min(low.count, price + 4)].contains(where: CharacterScan.isDigit)
  }

  /// The end of the words for the delivery behind a price, as in `$25 + Delivery ($0 with Prime)`, in which no
  /// amount is a price.
  private func deliveryEnd(_ end: Int) -> Int {
    var index = skip(end)
    if index < low.count, low[index] == 0x2B { index = skip(index + 1) }
    guard let word = findEnd(DealWords.deliveryCosts + DealWords.placesAfter, at: index) else {
      return end
    }
    let open = skip(word)
    guard open < low.count, low[open] == 0x28,
      let close = low[open..<min(low.count, open + 80)].firstIndex(of: 0x29)
    else { return word }
    return close + 1
  }

  /// The range of a price with its words, such as `from $3`; nil for an amount that is no price, such as an old one.
  private mutating func price(_ printed: RewardParser.Printed) -> Range<Int>? {
    let (start, end) = (printed.range.lowerBound, printed.range.upperBound)
    // `60p` is a rate of frames, too.
    if printed.isPercent || low[end - 1] == 0x70 || isPrize(before: start) { return nil }
    var edge = CharacterScan.skipSpacesBack(low, from: start)
    if edge > 0, low[edge - 1] == 0x3A { edge = CharacterScan.skipSpacesBack(low, from: edge - 1) }
    let next = skip(end)
    if findStart(DealWords.oldPrices, endingAt: edge) != nil
      || findEnd(DealWords.notPrices + DealWords.deliveryCosts, at: next) != nil
    {
      return nil
    }
    let rate =
      RewardWords.rateEnd(low, from: end)
      ?? findEnd(DealWords.each + DealWords.openEnds, at: next)
    let open =
      findStart(DealWords.openPrices + DealWords.rough, endingAt: edge)
      ?? RewardWords.rateStart(low, endingAt: edge)
    if let open { return open..<(rate ?? end) }
    if let rate { return start..<rate }
    if findStart(DealWords.prices, endingAt: edge) != nil
      || findEnd(DealWords.pricesAfter, at: next) != nil
    {
      return start..<end
    }
    // The only amount in a title is its price if the title ends with it.
    otherCount += 1
    guard isTitle, findStart(DealWords.figures, endingAt: edge) == nil else { return nil }
    let isEnd =
      next == low.count || "()[]|@".utf8.contains(low[next])
      // `$35+` is the least of several amounts.
      || low[next] == 0x2B
        && (next > end || next + 1 < low.count && CharacterScan.isLetter(low[next + 1]))
      || findEnd(DealWords.placesAfter, at: next) != nil
    guard isEnd else { return nil }
    otherCount -= 1
    placedCount += 1
    return start..<end
  }
}
