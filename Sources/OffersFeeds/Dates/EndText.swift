import OffersCore

/// Finds the end of an offer that its title or description states, for an offer whose feed has no member for it.
///
/// A date counts only behind a word for an end, such as `exp`, `valid until` or `jusqu'au`, before `まで`, and as
/// the last one of a span in brackets. It is read by `DateParser`; a date without a year, a weekday, `today` and
/// `in 3 days` count from the day on which the offer was published. A text that states two ends has none. The work is linear in the size of the text.
struct EndText {
  /// The version of the rules; see `DateParser.rules`.
  static let rules = "4"

  /// The result of a search for an end in a text.
  enum Finding: Equatable {
    case none
    /// The end, and the part of the text that states it.
    case one(ParsedDate, String)
    /// The text states several ends, or one that may be either of two days.
    case several
  }

  let text: UnsafeRawBufferPointer
  /// The text in lower case.
  let low: UnsafeRawBufferPointer
  var order: DateOrder?
  /// Whether a date whose numbers have another order is none, as in the search for the order.
  var isOrderStrict = false
  /// The number of the day on which the offer was published; nil if that is not known.
  let published: Int64?
  /// Whether the text is a title, in which `until today` is an end and not the present.
  let isTitle: Bool
  private var ends: [(date: ParsedDate, range: Range<Int>)] = []
  private var isUnclear = false

  /// The number of words for an end that are looked at.
  private static let limit = 64
  /// The largest number of days in `ends in 3 days`: later ends count from the day of a purchase.
  private static let dayCount = 14
  /// The number of days after the publication within which a date without a year lies.
  static let yearDays: Int64 = 270
  /// The number of days after the publication within which such a date lies if its day and month could also be
  /// the other way round.
  static let nearDays: Int64 = 92
  /// The number of days before the publication within which a date is an end: an old coupon, and no event of
  /// history.
  private static let pastDays: Int64 = 1100
  /// The number of days after the publication within which one of the two readings of an ambiguous date lies.
  static let orderDays: Int64 = 400

  /// - Parameters:
  ///   - text: a title or a description.
  ///   - order: whether the day or the month comes first in the feed's dates; nil if it is unknown.
  ///   - published: the number of the day on which the offer was published; nil if it is unknown.
  ///   - isTitle: whether the text is a title, and no prose.
  static func find(
    in text: String, order: DateOrder?, published: Int64?, isTitle: Bool
  ) -> Finding {
    FoldedText.search(text) { plain, low, print in
      var end = EndText(
        text: plain, low: low, order: order, published: published, isTitle: isTitle)
      end.scan()
      return end.reading(print)
    }
  }

  private init(
    text: UnsafeRawBufferPointer, low: UnsafeRawBufferPointer, order: DateOrder?,
    published: Int64?, isTitle: Bool
  ) {
    self.isTitle = isTitle
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
        || !CharacterScan.isInWord(low, at: index) && !CharacterScan.isDigit(low[index - 1])
      if isStart, CharacterScan.isLetter(low[index]) || low[index] == 0xC3 {
        if let (trigger, end) = findTrigger(at: index) {
          count += 1
          read(trigger, from: index, to: end)
          index = end
          continue
        }
      } else if low[index] == 0x28, let end = bracketEnd(at: index) {
        count += 1
        index = end
        continue
      } else if low[index] == 0xE3 || low[index] >= 0xE5, let end = eastAsianEnd(at: index) {
        count += 1
        index = end
        continue
      }
      index += 1
    }
  }

  mutating func add(_ date: ParsedDate?, _ range: Range<Int>) {
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

  /// The day that is a number of days after the publication; nil if that is not known.
  private func day(after count: Int) -> ParsedDate? {
    published.map { ParsedDate(seconds: ($0 + Int64(count)) * 86_400, isWholeDay: true) }
  }

  /// The number of days after the publication that words such as `tomorrow` and `in 3 days` at an index state, and
  /// whether the words may also mean the present.
  private func relativeDay(at start: Int) -> (count: Int, mayBePresent: Bool, end: Int)? {
    if let end = findEnd(EndWords.tonight, at: start) { return (0, false, end) }
    if let end = findEnd(EndWords.today, at: start) { return (0, true, end) }
    if let end = findEnd(EndWords.tomorrow, at: start) { return (1, false, end) }
    guard let place = findEnd(EndWords.counts, at: start),
      let count = dayOfMonth(at: CharacterScan.skipSpaces(low, from: place)),
      count.day <= Self.dayCount,
      let end = findEnd(EndWords.days, at: CharacterScan.skipSpaces(low, from: count.end)),
      findEnd(EndWords.starts, at: CharacterScan.skipSpaces(low, from: end)) == nil
    else { return nil }
    return (count.day, false, end)
  }

  /// Reads a span of two dates in brackets, as in `(11/29 - 12/5)`; returns the index after it.
  private mutating func bracketEnd(at start: Int) -> Int? {
    let near = low[start..<min(low.count, start + 48)]
    guard let close = near.firstIndex(of: 0x29), close - start > 6,
      let last = lastDay(at: start + 1) ?? lastDate(at: start + 1), last.end == close
    else { return nil }
    add(last.date, (start + 1)..<last.end)
    return last.end + 1
  }

  private mutating func read(_ trigger: EndWords.Trigger, from start: Int, to end: Int) {
    var index = skipMarks(end)
    for _ in 0..<3 {
      guard let next = findEnd(EndWords.fillers, at: index) else { break }
      index = skipMarks(next)
    }
    if trigger.isToday {
      if !isNegated(start, trigger) {
        add(hasOther(behind: end) ? nil : day(after: 0), start..<end)
      }
      return
    }
    guard index < low.count, !isNegated(start, trigger), !isPeriod(start, trigger) else { return }
    // In `exp12/31/26` nothing is between them.
    if index == end, trigger.isSpan || !CharacterScan.isDigit(low[index]) { return }
    if trigger.isStrong,
      let found = relativeDay(at: skipMarks(end)) ?? relativeDay(at: index)
    {
      if found.mayBePresent, trigger.isPreposition, isPresent(start, behind: found.end) { return }
      return add(hasOther(behind: found.end) ? nil : day(after: found.count), start..<found.end)
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
      // In prose `until May 2026` in December is what was.
      if trigger.isPreposition, !isTitle, let published, !isMarked(start),
        found.date.seconds / 86_400 < published
      {
        return
      }
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
      today == weekday.number ? nil : day(after: Int(weekday.number - today + 7) % 7),
      start..<weekday.end)
  }

  /// Whether `until today` means the present, as in `was used until today in schools`. In a title it is an end
  /// directly before a punctuation mark and at the end of the text, and anywhere behind `valid` or `only`.
  private func isPresent(_ start: Int, behind end: Int) -> Bool {
    if isMarked(start) { return false }
    let next = CharacterScan.skipSpaces(low, from: end)
    return !isTitle
      || next < low.count && !"!.;:)]|*-".utf8.contains(low[next])
        && !CharacterScan.stands("–", in: low, at: next)
  }

  /// Whether a word such as `valid` or `only` is before an index.
  private func isMarked(_ start: Int) -> Bool {
    let edge = CharacterScan.skipSpacesBack(low, from: start)
    return EndWords.marks.contains {
      CharacterScan.findStart(of: $0, in: low, endingAt: edge) != nil
    }
  }

  /// Whether a word is the end of a period of time, as in `the week ending August 21`.
  private func isPeriod(_ start: Int, _ trigger: EndWords.Trigger) -> Bool {
    guard trigger.isOfPeriod else { return false }
    let edge = CharacterScan.skipSpacesBack(low, from: start)
    return EndWords.periods.contains {
      CharacterScan.findStart(of: $0, in: low, endingAt: edge) != nil
    }
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
      || findEnd(EndWords.tomorrow, at: next) != nil
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
  func findEnd(_ phrases: [StaticString], at index: Int) -> Int? {
    for phrase in phrases {
      if let end = CharacterScan.findEnd(of: phrase, in: low, at: index) { return end }
    }
    return nil
  }

  /// The index after spaces, colons, full stops, commas and dashes.
  func skipMarks(_ start: Int) -> Int {
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

  private func isNegated(_ start: Int, _ trigger: EndWords.Trigger) -> Bool {
    let isWeak = !trigger.isStrong && !trigger.isSpan
    let words = isWeak ? EndWords.negations + EndWords.arrivals : EndWords.negations
    let window = UnsafeRawBufferPointer(rebasing: low[max(0, start - 24)..<start])
    let clause = UnsafeRawBufferPointer(
      rebasing: window[((window.lastIndex { ".;!?()".utf8.contains($0) }).map { $0 + 1 } ?? 0)...])
    return clause.indices.contains { index in
      !CharacterScan.isInWord(clause, at: index)
        && words.contains {
          CharacterScan.findEnd(of: $0, in: clause, at: index) != nil
        }
    }
  }

  /// The day of the week of three letters or more at an index, with the index after it.
  private func weekday(at start: Int, letters: Int = 3) -> (number: Int64, end: Int)? {
    var cursor = DateCursor(
      UnsafeRawBufferPointer(rebasing: low[start..<min(low.count, start + 24)]))
    guard let number = DateParser.takeWeekday(&cursor), cursor.index >= letters else {
      return nil
    }
    return (number, start + cursor.index)
  }

  /// Whether a weekday, and perhaps a time, is before an index, so that opening days are meant.
  private func isSpan(before end: Int) -> Bool {
    var end = end
    for _ in 0..<3 {
      let edge = CharacterScan.skipSpacesBack(low, from: end)
      var start = edge
      while start > 0, start > edge - 16, CharacterScan.spaceLength(low, at: start - 1) == 0,
        !"(,;".utf8.contains(low[start - 1])
      {
        start -= 1
      }
      guard start < edge else { return false }
      if weekday(at: start, letters: 2).map({ $0.end + 1 >= edge }) == true { return true }
      let isTime =
        low[start..<edge].contains(where: CharacterScan.isDigit)
        || findEnd(["am", "pm", "uhr"], at: start) != nil
      if !isTime { return false }
      end = start
    }
    return false
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
  func dayOfMonth(at start: Int) -> (day: Int, end: Int)? {
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
