/// A number as people print it, with points and commas whose sense depends on the place.
struct PrintedNumber {
  /// What the points and commas say.
  enum Form {
    /// No separator, or one point before decimals, perhaps behind groups with commas.
    case point
    /// One comma before decimals, perhaps behind groups with points.
    case comma
    /// Several groups of three between points.
    case pointGroups
    /// One point before three digits: a thousand's, or a decimal one.
    case onePoint
    /// Likewise one comma.
    case oneComma
    /// Commas between groups of two, the last of three, as in `1,00,000`.
    case indianGroups
  }

  /// All the digits as one number.
  private let digits: Int64
  /// How many of them stand behind the last separator, when that is not one of groups.
  private let decimals: Int
  let form: Form
  /// Where the number ends in the text.
  let end: Int

  /// Reads the number whose first digit stands at `start`.
  ///
  /// Nil for more than 15 digits, and where separators stand as in no number (`1.2.3`, `1,00,000`).
  init?(_ text: UnsafeRawBufferPointer, at start: Int) {
    var digits: Int64 = 0
    var count = 0
    /// The digits since the last separator, and those before the first one.
    var run = 0
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
    // Nobody groups behind a leading zero, nor more than three digits at once.
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
      // 1000,000 and 00,125 are no numbers of either custom.
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

  /// What tells the sense of points and commas.
  struct Custom {
    /// Whether a comma may stand before decimals and points between groups.
    var allowsDecimalComma: Bool
    /// Whether one comma before three digits is one between groups.
    var isGroupedByCommas: Bool
    /// Whether hundred thousand may be written `1,00,000`.
    var allowsIndianGroups = false
  }

  /// Whether at least two decimals are printed.
  var hasDecimals: Bool { decimals >= 2 }

  /// The number in units of which `unitDigits` decimals of it are made: cents for 2.
  ///
  /// Nil when it is in doubt, or has a part smaller than the unit; zeros beyond it do not count.
  func units(_ unitDigits: Int, _ custom: Custom) -> Int64? {
    var decimals = decimals
    switch form {
    case .point: break
    case .comma, .pointGroups:
      guard custom.allowsDecimalComma else { return nil }
    case .indianGroups:
      guard custom.allowsIndianGroups else { return nil }
    case .oneComma:
      // Where the unit has three digits, both readings are everyday prices.
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
