import OffersCore

/// Dates within a text.
extension EndText {
  /// The date that begins at an index, with the index after it. A date that may be either of two days is none.
  ///
  /// - Parameter isBegin: whether it is the first date of a span, which may be before the publication.
  func date(at start: Int, isBegin: Bool = false) -> (date: ParsedDate, end: Int)? {
    guard start < text.count, mayBeDate(at: start), !isOrderStrict || isInOrder(at: start) else {
      return nil
    }
    let stops = stops(from: start)
    for stop in stops.reversed() {
      if let date = fullDate(start..<stop) { return (date, stop) }
    }
    guard let published else { return nil }
    for stop in stops.prefix(6).reversed() where !hasYear(behind: stop, start) {
      let first = isBegin ? published - Self.yearDays : published
      if isTimeOfDay(start..<stop) { continue }
      if let date = yearlessDate(Array(text[start..<stop]), first, published) {
        return (date, stop)
      }
    }
    return nil
  }

  /// Whether a digit, or the name of a month or weekday, is at an index.
  private func mayBeDate(at start: Int) -> Bool {
    if CharacterScan.isDigit(low[start]) { return true }
    guard CharacterScan.isWordByte(low[start]) else { return false }
    let cursor = DateCursor(
      UnsafeRawBufferPointer(rebasing: low[start..<min(low.count, start + 24)]))
    var (month, weekday) = (cursor, cursor)
    return month.takeName(in: DateParser.months) != nil
      || DateParser.takeWeekday(&weekday) != nil
  }

  /// Whether the first number at an index may be what the order says: the day or the month.
  private func isInOrder(at start: Int) -> Bool {
    guard let first = dayOfMonth(at: start), first.end + 1 < low.count,
      low[first.end] == 0x2F || low[first.end] == 0x2D, let second = dayOfMonth(at: first.end + 1)
    else { return true }
    return (order == .dmy ? second : first).day <= 12
  }

  /// The indices at which a date that begins at an index may end, in order: after words, and before marks at
  /// their end.
  private func stops(from start: Int) -> [Int] {
    var stops: [Int] = []
    var words = 0
    var index = start
    let limit = min(text.count, start + 60)
    while index < limit, words < 8 {
      let byte = text[index]
      let isSpace = CharacterScan.spaceLength(text, at: index) > 0
      if isSpace || ".,;:!?()[]*\"-".utf8.contains(byte) || byte == 0xE2 {
        if index > start, stops.last != index { stops.append(index) }
        if isSpace { words += 1 }
        if isSpace, byte == 0x0A { return stops }
      }
      // `2026年12月31日` needs no space after it.
      if index + 3 <= text.count, CharacterScan.stands("日", in: text, at: index) {
        stops.append(index + 3)
      }
      index += 1
    }
    if index == text.count { stops.append(index) }
    return stops
  }

  /// Whether the date up to an index goes on with a further number, such as a year.
  private func hasYear(behind stop: Int, _ start: Int) -> Bool {
    guard stop < text.count else { return false }
    if text[stop] == 0x2E || text[stop] == 0x2D, stop + 1 < text.count,
      CharacterScan.isDigit(text[stop + 1])
    {
      return text[stop] == 0x2E || !text[start..<stop].contains(0x2F)
    }
    var end = CharacterScan.skipSpaces(text, from: text[stop] == 0x2C ? stop + 1 : stop)
    let first = end
    while end < text.count, CharacterScan.isDigit(text[end]) { end += 1 }
    return end - first == 4
  }

  func fullDate(_ range: Range<Int>) -> ParsedDate? {
    fullDate(of: UnsafeRawBufferPointer(rebasing: text[range]))
  }

  func fullDate(of part: UnsafeRawBufferPointer) -> ParsedDate? {
    guard part.count >= 6, part.contains(where: CharacterScan.isDigit),
      !part.allSatisfy(CharacterScan.isDigit) || part.count == 8
    else { return nil }
    let date = inOrder {
      DateParser.parse(part, order: $0)
    } within: { date in
      guard let published else { return nil }
      let day = DayZone.fixed(offsetSeconds: 0).day(of: date)
      return (published...(published + Self.orderDays)).contains(day)
    }
    guard let date else { return pointDate(Array(part)) }
    // `11.05.26` from America has the month first.
    if order == nil, let published, Self.hasTwoOrders(Array(part)),
      date.seconds / 86_400 < published
    {
      return nil
    }
    return date
  }

  /// Reads `5.12.26`, which without a word for an end before it may be a version, and `12.30.26`, in which only
  /// the second number may be the day.
  private func pointDate(_ part: [UInt8]) -> ParsedDate? {
    var numbers = part.split(separator: 0x2E, omittingEmptySubsequences: false).map(Array.init)
    guard numbers.count == 3,
      numbers.allSatisfy({ $0.allSatisfy(CharacterScan.isDigit) }),
      numbers[2].count == 2 || numbers[2].count == 4,
      let first = Int(String(decoding: numbers[0], as: UTF8.self)),
      let second = Int(String(decoding: numbers[1], as: UTF8.self)), max(first, second) <= 31
    else { return nil }
    if first <= 12, second > 12 { numbers.swapAt(0, 1) }
    let padded = numbers.map { ($0.count == 1 ? [0x30] : []) + $0 }
    let text = Array(padded.joined(separator: [0x2E]))
    return text == part ? nil : text.withUnsafeBytes { fullDate(of: $0) }
  }

  /// Whether the two first numbers of a date may both be a month.
  private static func hasTwoOrders(_ part: [UInt8]) -> Bool {
    let numbers = part.split { !CharacterScan.isDigit($0) }.map {
      String(decoding: $0, as: UTF8.self)
    }
    guard part.allSatisfy({ !CharacterScan.isLetter($0) && $0 < 0x80 }), numbers.count >= 2,
      let first = Int(numbers[0]), let second = Int(numbers[1])
    else { return false }
    return first <= 12 && second <= 12 && first != second
  }

  /// The date that a parser finds. If it finds none without an order and the feed's is unknown, one of the two
  /// orders must be impossible: as a date, or because the offer would not end soon after its publication.
  private func inOrder(
    _ parse: (DateOrder?) -> ParsedDate?, within isPlausible: (ParsedDate) -> Bool?
  ) -> ParsedDate? {
    if let date = parse(order) { return date }
    if order != nil { return nil }
    let dates = Set(DateOrder.allCases.compactMap(parse))
    if dates.count == 1 { return dates.first }
    let plausible = dates.filter { isPlausible($0) == true }
    return plausible.count == 1 ? plausible.first : nil
  }

  /// Whether numbers with points are a time, as in `at 12.05` and `12.05 Uhr`.
  private func isTimeOfDay(_ range: Range<Int>) -> Bool {
    guard low[range].allSatisfy({ CharacterScan.isDigit($0) || $0 == 0x2E }) else { return false }
    let next = CharacterScan.skipSpaces(low, from: range.upperBound)
    let edge = CharacterScan.skipSpacesBack(low, from: range.lowerBound)
    return findEnd(["uhr", "am", "pm", "h", ":"], at: next) != nil
      || CharacterScan.findStart(of: "at", in: low, endingAt: edge) != nil
  }

  /// Reads a date without a year by adding one, so that it is the first such day from a day on, soon after the
  /// publication.
  func yearlessDate(_ part: [UInt8], _ first: Int64, _ published: Int64) -> ParsedDate? {
    guard part.count >= 3, part.contains(where: CharacterScan.isDigit), part.count <= 30 else {
      return nil
    }
    let separators = part.filter { $0 == 0x2F || $0 == 0x2D || $0 == 0x2E }
    let isNumeric = part.allSatisfy {
      CharacterScan.isDigit($0) || $0 == 0x2F || $0 == 0x2D || $0 == 0x2E
    }
    if isNumeric, separators.isEmpty || separators.count > 2 { return nil }
    let year = CivilDay(number: first).year
    let date = inOrder { order in
      for year in [year, year + 1] {
        var whole = part
        if part.suffix(3).elementsEqual("日".utf8) {
          whole = Array("\(year)年".utf8) + part
        } else if isNumeric {
          if part.last != 0x2E { whole.append(separators[0]) }
          whole += Array("\(year)".utf8)
        } else {
          whole += Array(" \(year)".utf8)
        }
        guard let date = whole.withUnsafeBytes({ DateParser.parse($0, order: order) }),
          date.isWholeDay
        else { continue }
        if (first...(published + Self.yearDays)).contains(date.seconds / 86_400) { return date }
      }
      return nil
    } within: { _ in
      true
    }
    // Of `11/5` in late November, November is over; May is too far to be certain.
    if order == nil, let date, separators.first != 0x2E, Self.hasTwoOrders(part),
      date.seconds / 86_400 > published + Self.nearDays
    {
      return nil
    }
    return date
  }

  /// Reads `12月31日まで` and `2026年12月31日迄` at an index, and a date after a Chinese word for an end; returns
  /// the index after it.
  mutating func eastAsianEnd(at start: Int) -> Int? {
    for word in ["有效期至", "有効期限", "締切", "截至", "截止", "至"] as [StaticString]
    where CharacterScan.stands(word, in: low, at: start) {
      let index = skipMarks(start + word.utf8CodeUnitCount)
      guard let found = date(at: index) else { return nil }
      add(found.date, start..<found.end)
      return found.end
    }
    for word in ["まで", "迄", "까지"] as [StaticString]
    where CharacterScan.stands(word, in: low, at: start) {
      var edge = CharacterScan.skipSpacesBack(low, from: start)
      // A day of the week in brackets.
      if edge > 0, low[edge - 1] == 0x29,
        let open = low[max(0, edge - 12)..<edge].lastIndex(of: 0x28)
      {
        edge = CharacterScan.skipSpacesBack(low, from: open)
      }
      // The date is before the word; its longest part that is a date counts.
      var first = edge
      var found: (date: ParsedDate, start: Int)?
      let limit = max(0, edge - 24)
      while first > limit {
        first -= 1
        guard CharacterScan.isDigit(text[first]),
          first == 0 || !CharacterScan.isDigit(text[first - 1])
        else { continue }
        let range = first..<edge
        let date = fullDate(range) ?? published.flatMap { yearlessDate(Array(text[range]), $0, $0) }
        found = date.map { ($0, first) } ?? found
      }
      guard let found else { return nil }
      let end = start + word.utf8CodeUnitCount
      add(found.date, found.start..<end)
      return end
    }
    return nil
  }
}
