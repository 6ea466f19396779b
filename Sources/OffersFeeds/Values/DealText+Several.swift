/// Several things for one price, and free ones.
extension DealText {
  /// Reads a number that begins a price or reward of several things, such as `2 for $5`, `3 for 2` and
  /// `1+1 free`; returns the index after it, or nil for another number.
  mutating func multiple(at start: Int) -> Int? {
    guard start == 0 || !".,/$€£-".utf8.contains(low[start - 1]),
      let first = count(at: start), first.value > 0
    else { return nil }
    let next = skip(first.end)
    guard next < low.count else { return nil }
    if first.value == 1, CharacterScan.stands("/2", in: low, at: first.end),
      let end = findEnd(["price", "off"], at: skip(first.end + 2))
    {
      return take(start..<end)
    }
    for (take, give) in DealWords.exchangesAfter {
      guard let verb = findEnd([take], at: next) else { continue }
      for index in verb..<min(low.count, verb + 24)
      where !CharacterScan.isInWord(low, at: index) {
        if let end = findEnd([give], at: index) { return self.take(start..<end) }
      }
    }
    if low[next] == 0x2B, let second = count(at: skip(next + 1)),
      let end = findEnd(DealWords.free, at: skip(second.end))
    {
      return take(start..<end)
    }
    if low[next] == 0x78, let second = count(at: skip(next + 1)), second.value == first.value - 1,
      second.value <= 5, second.value > 0, isPlainEnd(second.end)
    {
      return take(start..<second.end)
    }
    return bundle(start, first)
  }

  /// Reads `3 for the price of 2`, `3 for 2`, `2 for $5` and `2/$5`.
  private mutating func bundle(_ start: Int, _ first: (value: Int, end: Int)) -> Int? {
    let next = skip(first.end)
    if let of = findEnd(DealWords.pricesOf, at: next), let second = count(at: skip(of)) {
      return take(start..<second.end)
    }
    var index = low[next] == 0x2D ? next + 1 : next
    if low[index] == 0x2F {
      index = skip(index + 1)
    } else {
      guard let joint = findEnd(DealWords.exchanges, at: index) else { return nil }
      index = skip(joint < low.count && low[joint] == 0x2D ? joint + 1 : joint)
    }
    guard index < low.count, first.value <= 100 else { return nil }
    let isSlash = low[next] == 0x2F
    // `5/FR935` is the name of a thing.
    if isSlash, CharacterScan.isLetter(low[index]) { return nil }
    // `Dinner for 2 for $50` and `iPhone 15 for $799` are one thing each.
    let edge = CharacterScan.skipSpacesBack(low, from: start)
    if findStart(DealWords.exchanges + DealWords.models, endingAt: edge) != nil { return nil }
    var digit = index
    while digit < low.count, digit < index + 5, !CharacterScan.isDigit(low[digit]),
      low[digit] != 0x20
    {
      digit += 1
    }
    if digit < low.count, CharacterScan.isDigit(low[digit]),
      let printed = rewards.findPrinted(in: text, at: digit), !printed.isPercent,
      printed.range.lowerBound == index
    {
      let end = printed.range.upperBound
      if let saved = savingEnd(end) { return take(start..<saved) }
      if role == .price { main.append(start..<end) } else { minor.append(start..<end) }
      last = Last(range: start..<end, isMain: role == .price, printed: printed)
      return end
    }
    guard !isSlash, let second = count(at: index), second.value > 0, second.value < first.value,
      first.value <= 12, isPlainEnd(second.end),
      findEnd(DealWords.guests, at: skip(second.end)) == nil
    else { return nil }
    return take(start..<second.end)
  }

  /// Whether no unit and no further part of a number is at an index.
  private func isPlainEnd(_ end: Int) -> Bool {
    guard end < low.count else { return true }
    let byte = low[end]
    if byte == 0x25 || byte == 0x78 || CharacterScan.isWordByte(byte) { return false }
    if byte == 0x2E || byte == 0x2C || byte == 0x3A || byte == 0x2F || byte == 0x2D {
      return end + 1 == low.count || !CharacterScan.isDigit(low[end + 1])
    }
    let next = skip(end)
    return next == low.count || low[next] != 0x78 && findEnd(DealWords.units, at: next) == nil
  }

  /// Adds a reward without an exact value, such as `BOGO`, to the rewards found, unless a price is sought. Returns
  /// the end of its range.
  private mutating func take(_ range: Range<Int>) -> Int {
    if role == .reward { main.append(range) }
    last = Last(range: range, isMain: role == .reward, printed: nil)
    return range.upperBound
  }

  /// Reads a word that may begin a reward without an amount; returns the index from which to go on.
  mutating func word(at start: Int) -> Int {
    let end = CharacterScan.wordEnd(low, from: start)
    guard start + 1 < low.count, DealWords.isStart(low[start], low[start + 1]) else { return end }
    // `Due` is another word in English.
    if low[start] != 0x64, let multiple = multiple(at: start) { return multiple }
    if role == .price { return end }
    if let bogo = findEnd(DealWords.bogos, at: start) {
      return take(start..<(qualifierEnd(skip(bogo)) ?? bogo))
    }
    if let half = findEnd(DealWords.halves, at: start), half == low.count || low[half] != 0x2D {
      let edge = CharacterScan.skipSpacesBack(low, from: start)
      let first = findStart(DealWords.limits, endingAt: edge) ?? start
      return take((ordinal(before: first) ?? first)..<half)
    }
    if let delivery = findEnd(DealWords.deliveries, at: start), !isNegated(start),
      findEnd(["not"], at: skip(delivery)) == nil
    {
      minor.append(start..<delivery)
      return delivery
    }
    if let reward = exchange(at: start) { return take(start..<reward) }
    return end
  }

  /// The end of `free`, `50% off`, `half price` or `for $1` at an index.
  private func qualifierEnd(_ start: Int) -> Int? {
    var index = start
    if let at = findEnd(["at", "for", "@"], at: index) { index = skip(at) }
    if let end = findEnd(DealWords.free + DealWords.halves, at: index) { return end }
    var digit = index
    while digit < low.count, digit < index + 4, !CharacterScan.isDigit(low[digit]) { digit += 1 }
    guard digit < low.count, let printed = rewards.findPrinted(in: text, at: digit),
      printed.range.lowerBound == index
    else { return nil }
    return savingEnd(printed.range.upperBound) ?? printed.range.upperBound
  }

  /// The end of `buy 2 get 1 free`, `lleva 3 paga 2` and the like at an index; nil for another text.
  private func exchange(at start: Int) -> Int? {
    for (take, give) in DealWords.exchangeVerbs where take.utf8Start[0] == low[start] {
      guard let verb = CharacterScan.findEnd(of: take, in: low, at: start) else { continue }
      var index = skip(verb)
      if let any = findEnd(["any"], at: index) { index = skip(any) }
      guard let count = count(at: index) else { continue }
      var end = count.end
      let limit = min(low.count, end + 48)
      while end < limit, low[end] != 0x2E, low[end] != 0x3B, low[end] != 0x0A {
        if !CharacterScan.isInWord(low, at: end),
          let second = CharacterScan.findEnd(of: give, in: low, at: end)
        {
          return exchangeEnd(skip(second))
        }
        end += 1
      }
    }
    return nil
  }

  /// The end of what is given, which begins at an index: to `free` or another word for its price within a few
  /// words, else the number.
  private func exchangeEnd(_ start: Int) -> Int? {
    if let end = qualifierEnd(start) { return end }
    let counted = count(at: start)?.end ?? findEnd(["another", "the second"], at: start)
    var index = counted ?? start
    let limit = min(low.count, index + 32)
    while index < limit, !".;!?\n".utf8.contains(low[index]) {
      if !CharacterScan.isWordByte(low[index]), let end = qualifierEnd(skip(index)) { return end }
      index += 1
    }
    return counted
  }
}
