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
