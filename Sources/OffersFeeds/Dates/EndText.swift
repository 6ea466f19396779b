import OffersCore

/// Finds the end of an offer that its title or description states, for an offer whose feed has no member for it.
///
/// A date counts only behind a word for an end, such as `exp`, `valid until` or `jusqu'au`, and before `まで`.
/// It is read by `DateParser`; a date without a year, a weekday and `today` count from the day on which the
/// offer was published. A text that states two ends has none. The work is linear in the size of the text.
struct EndText {
  /// The version of the rules; see `DateParser.rules`.
  static let rules = "2"

  /// The result of a search for an end in a text.
  enum Finding: Equatable {
    case none
    /// The end, and the part of the text that states it.
    case one(ParsedDate, String)
    /// The text states several ends, or one that may be either of two days.
    case several
  }

  private let text: UnsafeRawBufferPointer
  /// The text in lower case.
  private let low: UnsafeRawBufferPointer
  private var order: DateOrder?
  /// Whether a date whose numbers have another order is none, as in the search for the order.
  private var isOrderStrict = false
  /// The number of the day on which the offer was published; nil if that is not known.
  private let published: Int64?
  private var ends: [(date: ParsedDate, range: Range<Int>)] = []
  private var isUnclear = false

  /// The number of words for an end that are looked at.
  private static let limit = 64
  /// The number of days after the publication within which a date without a year lies.
  private static let yearDays: Int64 = 270
  /// The number of days after the publication within which such a date lies if its day and month could also be
  /// the other way round.
  private static let nearDays: Int64 = 92
  /// The number of days before the publication within which a date is an end: an old coupon, and no event of
  /// history.
  private static let pastDays: Int64 = 1100
  /// The number of days after the publication within which one of the two readings of an ambiguous date lies.
  private static let orderDays: Int64 = 400

  /// - Parameters:
  ///   - text: a title or a description.
  ///   - order: whether the day or the month comes first in the feed's dates; nil if it is unknown.
  ///   - published: the number of the day on which the offer was published; nil if it is unknown.
  static func find(in text: String, order: DateOrder?, published: Int64?) -> Finding {
    FoldedText.search(text) { plain, low, print in
      var end = EndText(text: plain, low: low, order: order, published: published)
      end.scan()
      return end.reading(print)
    }
  }

  private init(
    text: UnsafeRawBufferPointer, low: UnsafeRawBufferPointer, order: DateOrder?, published: Int64?
  ) {
    self.text = text
    self.low = low
    self.order = order
    self.published = published
  }

  private func reading(_ print: (Range<Int>) -> String) -> Finding {
    guard let first = ends.first else { return isUnclear ? .several : .none }
    let isOne = !isUnclear && ends.allSatisfy { $0.date == first.date }
    return isOne ? .one(first.date, print(first.range)) : .several
  }

  private mutating func scan() {
    var index = 0
    var count = 0
    while index < low.count, count < Self.limit {
      let isStart =
        index == 0
        || !CharacterScan.isWordByte(low[index - 1]) && !CharacterScan.isDigit(low[index - 1])
      if isStart, CharacterScan.isLetter(low[index]) {
        if let (trigger, end) = findTrigger(at: index) {
          count += 1
          read(trigger, from: index, to: end)
          index = end
          continue
        }
      } else if low[index] == 0xE3 || low[index] >= 0xE5, let end = eastAsianEnd(at: index) {
        count += 1
        index = end
        continue
      }
      index += 1
    }
  }

  private mutating func add(_ date: ParsedDate?, _ range: Range<Int>) {
    guard let date else {
      isUnclear = true
      return
    }
    // Other dates are those of history, or stand for no end.
    let day = date.seconds / 86_400
    if (10_957..<2_932_532).contains(day), day > (published ?? 0) - Self.pastDays {
      ends.append((date, range))
    }
  }

  private static func day(_ number: Int64) -> ParsedDate {
    ParsedDate(seconds: number * 86_400, isWholeDay: true)
  }

  private mutating func read(_ trigger: EndWords.Trigger, from start: Int, to end: Int) {
    var index = skipMarks(end)
    for _ in 0..<3 {
      guard let next = findEnd(EndWords.fillers, at: index) else { break }
      index = skipMarks(next)
    }
    guard index > end, index < low.count, !isNegated(start) else { return }
    if !trigger.isSpan, trigger.isStrong {
      if let end = findEnd(EndWords.today, at: index) {
        return add(published.map(Self.day), start..<end)
      }
      if let end = findEnd(EndWords.tomorrow, at: index) {
        return add(published.map { Self.day($0 + 1) }, start..<end)
      }
    }
    let weekday = weekday(at: index)
    let places = [index] + (weekday.map { [skipMarks($0.end)] } ?? [])
    for place in places {
      if let last = lastDay(at: place) ?? lastDate(at: place) {
        return add(hasOther(behind: last.end) ? nil : last.date, start..<last.end)
      }
    }
    if trigger.isSpan { return }
    if let found = places.lazy.compactMap({ [self] in date(at: $0) }).first {
      return add(hasOther(behind: found.end) ? nil : found.date, start..<found.end)
    }
    guard let weekday, trigger.isStrong, trigger.isVerb || !isSpan(before: start) else { return }
    guard let published else {
      isUnclear = true
      return
    }
    let today = Self.weekday(of: published)
    // In `Fri 1/8` the day of the week decides which number is the day.
    let next = skipMarks(weekday.end)
    if next < low.count, CharacterScan.isDigit(low[next]), !isTime(at: next) {
      let dates = DateOrder.allCases.compactMap { order in
        var text = self
        text.order = order
        return text.date(at: next)
      }.filter { Self.weekday(of: $0.date.seconds / 86_400) == weekday.number }
      return add(dates.count == 1 ? dates[0].date : nil, start..<(dates.first?.end ?? next))
    }
    // Of an offer of a Sunday that ends on Sunday, the day is unknown.
    add(
      today == weekday.number
        ? nil : Self.day(published + (weekday.number - today + 7) % 7), start..<weekday.end)
  }

  /// January 1, 1970 was a Thursday.
  private static func weekday(of day: Int64) -> Int64 { (day + 3) % 7 + 1 }

  /// Whether a time is at an index, as in `8pm` and `23:59`.
  private func isTime(at start: Int) -> Bool {
    var index = start
    while index < low.count, CharacterScan.isDigit(low[index]) { index += 1 }
    if index < low.count, low[index] == 0x3A { return true }
    let marks: [StaticString] = ["am", "pm", "a.m.", "p.m.", "uhr", "h"]
    return findEnd(marks, at: CharacterScan.skipSpaces(low, from: index)) != nil
  }

  /// Whether another date follows one that ends at an index, behind `or` or `and`.
  private func hasOther(behind end: Int) -> Bool {
    let place = skipMarksAndSpaces(end)
    let choice = findEnd(["or", "oder", "ou", "o"], at: place)
    guard let joint = choice ?? findEnd(["and", "und", "et", "y", "e", "&"], at: place) else {
      return false
    }
    let next = CharacterScan.skipSpaces(low, from: joint)
    if choice != nil, next < low.count, CharacterScan.isDigit(low[next]) { return true }
    return date(at: next) != nil || lastDay(at: next) != nil || weekday(at: next) != nil
  }

  private func findTrigger(at index: Int) -> (EndWords.Trigger, end: Int)? {
    for trigger in EndWords.triggersByStart[Int(low[index])] {
      if let end = CharacterScan.findEnd(of: trigger.word, in: low, at: index) {
        return (trigger, end)
      }
    }
    return nil
  }

  /// The index after the first of some phrases that is at an index.
  private func findEnd(_ phrases: [StaticString], at index: Int) -> Int? {
    for phrase in phrases {
      if let end = CharacterScan.findEnd(of: phrase, in: low, at: index) { return end }
    }
    return nil
  }

  /// The index after spaces, colons, full stops, commas and dashes.
  private func skipMarks(_ start: Int) -> Int {
    var index = start
    while index < low.count {
      if ".:,-(*=#".utf8.contains(low[index]) {
        index += 1
      } else {
        let next = CharacterScan.skipSpaces(low, from: index)
        if next == index { break }
        index = next
      }
    }
    return index
  }

  private func isNegated(_ start: Int) -> Bool {
    let window = UnsafeRawBufferPointer(rebasing: low[max(0, start - 24)..<start])
    let clause = UnsafeRawBufferPointer(
      rebasing: window[((window.lastIndex { ".;!?()".utf8.contains($0) }).map { $0 + 1 } ?? 0)...])
    return clause.indices.contains { index in
      (index == 0 || !CharacterScan.isWordByte(clause[index - 1]))
        && EndWords.negations.contains {
          CharacterScan.findEnd(of: $0, in: clause, at: index) != nil
        }
    }
  }

  /// The day of the week of three letters or more at an index, with the index after it.
  private func weekday(at start: Int) -> (number: Int64, end: Int)? {
    var cursor = DateCursor(
      UnsafeRawBufferPointer(rebasing: low[start..<min(low.count, start + 24)]))
    guard let value = cursor.takeName(in: DateParser.weekdays), cursor.index >= 3 else {
      return nil
    }
    return (Int64(value[0] - 0x30), start + cursor.index)
  }

  /// Whether a word for a weekday or a day is before an index, so that opening days are meant.
  private func isSpan(before end: Int) -> Bool {
    let edge = CharacterScan.skipSpacesBack(low, from: end)
    var start = edge
    while start > 0, CharacterScan.isWordByte(low[start - 1]) || low[start - 1] & 0xC0 == 0x80 {
      start -= 1
    }
    return start < edge && weekday(at: start)?.end == edge
  }

  /// The last date of a span that begins at an index. If the order of its numbers is unknown, only one of the
  /// two may make both of them dates: in `11/29 - 12/5` the month is first.
  private func lastDate(at start: Int) -> (date: ParsedDate, end: Int)? {
    if let first = date(at: start, isBegin: true), let last = laterDate(behind: first.end) {
      return last
    }
    guard order == nil else { return nil }
    let spans = DateOrder.allCases.compactMap { order in
      var text = self
      (text.order, text.isOrderStrict) = (order, true)
      return text.date(at: start, isBegin: true).flatMap { first in
        text.laterDate(behind: first.end).flatMap {
          first.date.seconds <= $0.date.seconds ? $0 : nil
        }
      }
    }
    return spans.count == 1 ? spans[0] : nil
  }

  /// The last day of a span within a month that begins at an index: `Dec 1-24, 2026`, `1 to 24 December`.
  private func lastDay(at start: Int) -> (date: ParsedDate, end: Int)? {
    var index = start
    while index < low.count, CharacterScan.isLetter(low[index]) || low[index] >= 0x80 { index += 1 }
    let month = start..<index
    if !month.isEmpty {
      guard month.count >= 3 else { return nil }
      index = skipMarksAndSpaces(index)
    }
    guard let first = dayOfMonth(at: index) else { return nil }
    let joint = skipMarksAndSpaces(first.end)
    let behind = EndWords.joints.lazy.compactMap { [self] in
      CharacterScan.findEnd(of: $0, in: low, at: joint)
    }.first
    guard let behind, case let place = CharacterScan.skipSpaces(low, from: behind),
      let last = dayOfMonth(at: place), first.day < last.day, !isTime(at: place)
    else { return nil }
    if month.isEmpty { return date(at: place) }
    // The date is put together without the first day.
    var year = last.end
    if year < low.count, low[year] == 0x2C { year += 1 }
    year = CharacterScan.skipSpaces(low, from: year)
    let whole = Array(text[month]) + [0x20] + Array("\(last.day)".utf8)
    if year + 4 <= low.count, text[year..<(year + 4)].allSatisfy(CharacterScan.isDigit),
      year + 4 == low.count || !CharacterScan.isDigit(low[year + 4])
    {
      let dated = whole + [0x20] + Array(text[year..<(year + 4)])
      return dated.withUnsafeBytes { fullDate(of: $0) }.map { ($0, year + 4) }
    }
    guard let published else { return nil }
    return yearlessDate(whole, published, published).map { ($0, last.end) }
  }

  /// The day of a month at an index, with its ending, as in `1st` and `1er`.
  private func dayOfMonth(at start: Int) -> (day: Int, end: Int)? {
    var end = start
    var day = 0
    while end < low.count, end < start + 3, CharacterScan.isDigit(low[end]) {
      day = day * 10 + Int(low[end] - 0x30)
      end += 1
    }
    guard (1...31).contains(day) else { return nil }
    let ordinals: [StaticString] = ["st", "nd", "rd", "th", "er"]
    return (day, findEnd(ordinals, at: end) ?? end)
  }

  /// The later date of a span whose first date ends at an index.
  private func laterDate(behind end: Int) -> (date: ParsedDate, end: Int)? {
    let start = skipMarksAndSpaces(end)
    for joint in EndWords.joints {
      guard let behind = CharacterScan.findEnd(of: joint, in: low, at: start) else { continue }
      let index = CharacterScan.skipSpaces(low, from: behind)
      if let found = date(at: index) { return found }
      if let weekday = weekday(at: index), let found = date(at: skipMarks(weekday.end)) {
        return found
      }
    }
    return nil
  }

  private func skipMarksAndSpaces(_ start: Int) -> Int {
    var index = CharacterScan.skipSpaces(low, from: start)
    if index < low.count, low[index] == 0x2E || low[index] == 0x2C {
      index = CharacterScan.skipSpaces(low, from: index + 1)
    }
    return index
  }
}

/// Dates within a text.
extension EndText {
  /// The date that begins at an index, with the index after it. A date that may be either of two days is none.
  ///
  /// - Parameter isBegin: whether it is the first date of a span, which may be before the publication.
  private func date(at start: Int, isBegin: Bool = false) -> (date: ParsedDate, end: Int)? {
    guard start < text.count, !isOrderStrict || isInOrder(at: start) else { return nil }
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

  private func fullDate(_ range: Range<Int>) -> ParsedDate? {
    fullDate(of: UnsafeRawBufferPointer(rebasing: text[range]))
  }

  private func fullDate(of part: UnsafeRawBufferPointer) -> ParsedDate? {
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

  /// Reads `5.12.26`, which without a word for an end before it may be a version.
  private func pointDate(_ part: [UInt8]) -> ParsedDate? {
    let numbers = part.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard numbers.count == 3,
      numbers.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy(CharacterScan.isDigit) }),
      numbers[2].count == 2
    else { return nil }
    let padded = numbers.map { ($0.count == 1 ? [0x30] : []) + Array($0) }
    if padded.map(Array.init) == numbers.map(Array.init) { return nil }
    return Array(padded.joined(separator: [0x2E])).withUnsafeBytes { fullDate(of: $0) }
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
  private func yearlessDate(_ part: [UInt8], _ first: Int64, _ published: Int64) -> ParsedDate? {
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
  private mutating func eastAsianEnd(at start: Int) -> Int? {
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
