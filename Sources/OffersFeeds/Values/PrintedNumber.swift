/// A printed number, in which the meaning of points and commas depends on the country.
struct PrintedNumber {
  /// The possible meanings of the points and commas.
  enum Form {
    /// A decimal point or none, possibly with commas between groups of three digits.
    case point
    /// A decimal comma, possibly with points between groups of three digits.
    case comma
    /// Several groups of three digits with points between them.
    case pointGroups
    /// One point before three digits: a decimal point or a thousands separator.
    case onePoint
    /// One comma before three digits: a decimal comma or a thousands separator.
    case oneComma
    /// Commas between groups of two digits, the last of three, as in `1,00,000`.
    case indianGroups
  }

  /// All digits as one number.
  private let digits: Int64
  /// The number of digits after the decimal separator; 0 for `onePoint` and `oneComma`.
  private var decimals: Int
  private(set) var form: Form
  /// The index in the text after the number.
  private(set) var end: Int
  /// Whether it begins with a point or comma, as in `$.50`.
  var isFraction = false
  /// Whether a space that also separates words is between its groups, as in `1 234`.
  var hasWordSpace = false

  /// Parses the number whose first digit is at `start`.
  ///
  /// Returns nil for more than 15 digits, and for misplaced separators (`1.2.3`, `1,00,000`).
  init?(_ text: UnsafeRawBufferPointer, at start: Int) {
    var digits: Int64 = 0
    var count = 0
    /// The number of digits since the last separator.
    var run = 0
    /// The number of digits before the first separator.
    var firstRun = 0
    var separators = 0
    var separator: UInt8 = 0
    var isMixed = false
    var index = start
    while index < text.count {
      let byte = text[index]
      if byte &- 0x30 < 10 {
        digits = digits * 10 + Int64(byte &- 0x30)
        count += 1
        guard count <= 15 else { return nil }
        run += 1
      } else if byte == 0x2E || byte == 0x2C, index + 1 < text.count, text[index + 1] &- 0x30 < 10 {
        guard !isMixed, separators == 0 || run == 3 else { return nil }
        if separators == 0 { firstRun = run }
        isMixed = separators > 0 && byte != separator
        separator = byte
        separators += 1
        run = 0
      } else {
        break
      }
      index += 1
    }
    // The first group of a number has one to three digits, and does not begin with a zero.
    let startsGroup = (1...3).contains(firstRun) && text[start] != 0x30
    let isComma = separator == 0x2C
    self.digits = digits
    end = index
    switch separators {
    case 0:
      (form, decimals) = (.point, 0)
    case 1 where run == 3 && startsGroup:
      (form, decimals) = (isComma ? .oneComma : .onePoint, 0)
    case 1:
      // Without a first group, only `0,125` is certain to have a decimal comma; 1000,000 and 00,125
      // are refused.
      if isComma, run == 3, firstRun != 1 { return nil }
      (form, decimals) = (isComma ? .comma : .point, run)
    default:
      guard startsGroup, isMixed || run == 3 else { return nil }
      if isMixed {
        (form, decimals) = (isComma ? .comma : .point, run)
      } else {
        (form, decimals) = (isComma ? .point : .pointGroups, 0)
      }
    }
  }

  init(digits: Int64, decimals: Int, form: Form, end: Int) {
    self.digits = digits
    self.decimals = decimals
    self.form = form
    self.end = end
  }

  /// A notation, which determines the meaning of points and commas.
  struct Custom {
    /// Whether decimal commas, and points between groups, are possible.
    var allowsDecimalComma: Bool
    /// Whether a single comma before three digits is a thousands separator, and a single point a
    /// decimal point.
    var isGroupedByCommas: Bool
    /// Whether a hundred thousand may be written `1,00,000`.
    var allowsIndianGroups = false
    /// Whether amounts have no decimals, so that any mark before three digits separates thousands.
    var hasNoDecimals = false
  }

  /// Takes the dashes after the number that stand for no decimals, as in `12,-`, `12.–`, `12:-` and `12/-`,
  /// as a part of it. The mark before them is then the decimal mark.
  mutating func takeDashes(_ text: UnsafeRawBufferPointer) {
    guard end + 1 < text.count, decimals == 0 else { return }
    let mark = text[end]
    guard mark == 0x2C || mark == 0x2E || mark == 0x3A || mark == 0x2F else { return }
    var index = end + 1
    while index < text.count, index < end + 9 {
      if text[index] == 0x2D {
        index += 1
      } else if CharacterScan.stands("\u{2013}", in: text, at: index)
        || CharacterScan.stands("\u{2014}", in: text, at: index)
      {
        index += 3
      } else {
        break
      }
    }
    guard index > end + 1 else { return }
    switch form {
    case .onePoint where mark == 0x2C: form = .pointGroups
    case .oneComma where mark == 0x2E: form = .point
    case .point, .pointGroups, .indianGroups: break
    case .oneComma where mark == 0x2F: break
    default: return
    }
    end = index
  }

  /// Takes a point before three digits as the decimal mark.
  mutating func takePointAsDecimal() {
    if form == .onePoint { (form, decimals) = (.point, 3) }
  }

  /// Whether at least two decimals are printed.
  var hasDecimals: Bool { decimals >= 2 }

  /// Returns the number in minor units with `unitDigits` decimals: cents for 2.
  ///
  /// Returns nil for a number that is ambiguous or impossible in the notation `custom`, for one
  /// that is not a whole number of minor units, and for one that exceeds `Int64`.
  func units(_ unitDigits: Int, _ custom: Custom) -> Int64? {
    var decimals = decimals
    switch form {
    case .point: break
    case .comma, .pointGroups:
      guard custom.allowsDecimalComma else { return nil }
    case .indianGroups:
      guard custom.allowsIndianGroups else { return nil }
    case .onePoint where custom.hasNoDecimals, .oneComma where custom.hasNoDecimals: break
    case .oneComma:
      // In a currency with three decimals, `1,250` may be a common price in either meaning of the
      // comma.
      guard custom.isGroupedByCommas, unitDigits != 3 else { return nil }
    case .onePoint:
      guard custom.isGroupedByCommas, unitDigits == 3 else { return nil }
      decimals = 3
    }
    var units = digits
    while decimals > unitDigits {
      guard units % 10 == 0 else { return nil }
      units /= 10
      decimals -= 1
    }
    while decimals < unitDigits {
      let (product, overflows) = units.multipliedReportingOverflow(by: 10)
      guard !overflows else { return nil }
      units = product
      decimals += 1
    }
    return units
  }
}

/// Numbers in notations that the general parser refuses.
extension PrintedNumber {
  /// Parses `1,00,000` and `1,00,000.50`, the digit grouping of India; the first digit is at
  /// `start`.
  ///
  /// Returns nil for any other number. The general parser reads one without a group of two digits.
  init?(indian text: UnsafeRawBufferPointer, at start: Int) {
    var scan = Scan(text, at: start)
    guard let first = scan.takeRun(), first <= 2, text[start] != 0x30 else { return nil }
    var lastCount = first
    var groupCount = 0
    while let group = scan.takeRun(behind: 0x2C) {
      guard groupCount == 0 || lastCount == 2 else { return nil }
      lastCount = group
      groupCount += 1
    }
    guard groupCount >= 2, lastCount == 3 else { return nil }
    let decimals = scan.takeRun(behind: 0x2E) ?? 0
    guard scan.isSound else { return nil }
    self.init(digits: scan.digits, decimals: decimals, form: .indianGroups, end: scan.index)
  }

  /// Parses `1 234,50`, with a space of any kind between groups of three digits; the first digit is at
  /// `start`.
  ///
  /// Returns nil for any other number. The general parser reads one without a space.
  init?(spaced text: UnsafeRawBufferPointer, at start: Int) {
    var scan = Scan(text, at: start)
    guard let first = scan.takeRun(), first <= 3, text[start] != 0x30 else { return nil }
    var groupCount = 0
    var hasWordSpace = false
    while let space = scan.takeGroupSpace() {
      guard scan.takeRun() == 3 else { return nil }
      groupCount += 1
      hasWordSpace = hasWordSpace || space == 0x20
    }
    guard groupCount > 0 else { return nil }
    self.init(behindGroups: &scan, of: text)
    self.hasWordSpace = hasWordSpace
  }

  /// Parses `1'234.50`, the digit grouping of Switzerland, with any apostrophe.
  ///
  /// Returns nil for any other number. The general parser reads one without an apostrophe.
  init?(swiss text: UnsafeRawBufferPointer, at start: Int) {
    var scan = Scan(text, at: start)
    guard let first = scan.takeRun(), first <= 3, text[start] != 0x30 else { return nil }
    var groupCount = 0
    while scan.takeApostrophe() {
      guard scan.takeRun() == 3 else { return nil }
      groupCount += 1
    }
    guard groupCount > 0 else { return nil }
    self.init(behindGroups: &scan, of: text)
  }

  /// Parses the decimals behind the last group of digits, after a comma or a point; there may be none.
  private init?(behindGroups scan: inout Scan, of text: UnsafeRawBufferPointer) {
    let isComma = scan.index < text.count && text[scan.index] == 0x2C
    let decimals = scan.takeRun(behind: isComma ? 0x2C : 0x2E) ?? 0
    guard scan.isSound else { return nil }
    self.init(
      digits: scan.digits, decimals: decimals, form: isComma && decimals > 0 ? .comma : .point,
      end: scan.index)
  }

  /// Parses the `.50` of `$.50`, or the `,50` of `,50 €`; the point or comma is at `start`.
  init?(fraction text: UnsafeRawBufferPointer, at start: Int) {
    var scan = Scan(text, at: start)
    let isComma = text[start] == 0x2C
    guard let run = scan.takeRun(behind: text[start]), scan.isSound else { return nil }
    self.init(
      digits: scan.digits, decimals: run, form: isComma ? .comma : .point, end: scan.index)
    isFraction = true
  }

  /// Scans runs of digits and the separators between them.
  private struct Scan {
    let text: UnsafeRawBufferPointer
    var index: Int
    /// All digits as one number.
    var digits: Int64 = 0
    private var count = 0

    init(_ text: UnsafeRawBufferPointer, at start: Int) {
      self.text = text
      index = start
    }

    /// Whether there are at most 15 digits, and no further separator with digits follows.
    var isSound: Bool {
      guard count <= 15, index < text.count else { return count <= 15 }
      let isSeparator = text[index] == 0x2E || text[index] == 0x2C || text[index] == 0x27
      return !(isSeparator && index + 1 < text.count && CharacterScan.isDigit(text[index + 1]))
    }

    /// Scans a run of digits; returns its length, or nil when there is none.
    mutating func takeRun() -> Int? {
      let start = index
      while index < text.count, CharacterScan.isDigit(text[index]) {
        if count < 16 { digits = digits * 10 + Int64(text[index] &- 0x30) }
        count += 1
        index += 1
      }
      return index > start ? index - start : nil
    }

    /// Scans a separator and the digits after it, and returns the number of these digits; returns
    /// nil and does not move when either is missing.
    mutating func takeRun(behind separator: UInt8) -> Int? {
      guard index + 1 < text.count, text[index] == separator,
        CharacterScan.isDigit(text[index + 1])
      else { return nil }
      index += 1
      return takeRun()
    }

    /// Scans a space before a digit, and returns its first byte; does not move when either is missing.
    mutating func takeGroupSpace() -> UInt8? {
      let length = CharacterScan.spaceLength(text, at: index)
      guard length > 0, index + length < text.count, text[index] != 0x0A, text[index] != 0x0D,
        CharacterScan.isDigit(text[index + length])
      else { return nil }
      defer { index += length }
      return text[index]
    }

    mutating func takeApostrophe() -> Bool {
      let marks: [StaticString] = ["'", "’", "ʼ", "‘", "′", "`", "´"]
      let mark = marks.first { CharacterScan.stands($0, in: text, at: index) }
      let length = mark?.utf8CodeUnitCount ?? 0
      guard length > 0, index + length < text.count,
        CharacterScan.isDigit(text[index + length])
      else { return false }
      index += length
      return true
    }
  }
}

/// Converts a number of minor units, such as cents, to the amount in major units.
///
/// Only the decimal point moves: nothing is rounded, and no digit but zeros is added or removed.
enum DecimalShift {
  /// The largest number of decimals, which exceeds that of any currency.
  static let placesLimit = 12

  /// Returns `15.99` for `1599` with two decimals; nil for anything but ASCII digits with an
  /// optional minus and decimal point, and for a number of more than 40 characters.
  ///
  /// Decimals of the number follow those of the unit (`1599.5` is `15.995`), without trailing
  /// zeros.
  ///
  /// - Parameters:
  ///   - text: the amount in the smallest unit, such as cents; whitespace around it is ignored.
  ///   - places: the number of decimals of the unit. The result is nil if it exceeds `placesLimit`.
  static func amount(_ text: UnsafeRawBufferPointer, places: Int) -> [UInt8]? {
    let text = text.trimmed()
    let isNegative = text.first == 0x2D
    let number = text.tail(from: isNegative ? 1 : 0)
    let point = number.firstIndex(of: 0x2E) ?? number.count
    let whole = number.slice(0, point)
    let rest = number.tail(from: min(point + 1, number.count))
    guard (0...placesLimit).contains(places), !whole.isEmpty, number.count <= 40,
      whole.allSatisfy(CharacterScan.isDigit), rest.allSatisfy(CharacterScan.isDigit),
      point == number.count || !rest.isEmpty
    else { return nil }
    var digits = [UInt8](repeating: 0x30, count: max(0, places + 1 - whole.count)) + Array(whole)
    let end = digits.count - places
    digits += Array(rest)
    while digits.count > end + places, digits.last == 0x30 { digits.removeLast() }
    let start = min(digits.prefix { $0 == 0x30 }.count, end - 1)
    var amount: [UInt8] = isNegative ? [0x2D] : []
    amount += digits[start..<end]
    if digits.count > end { amount += [0x2E] + digits[end...] }
    return amount
  }
}
