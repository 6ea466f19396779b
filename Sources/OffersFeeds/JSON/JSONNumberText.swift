/// The texts that a JSON number stands for as an id and as an amount of money.
///
/// Programs that keep a column as floating-point numbers print `1` as `1.0` or `1e0`. These are the
/// same number, so they are the same id. The digits are never converted to a binary number, which
/// would make large ids equal.
enum JSONNumberText {
  /// The most digits of a number with an exponent, before and after it is written out. A longer one is left
  /// unchanged.
  private static let digitLimit = 40

  /// Returns a number with an exponent or more than two decimals without them, if they are zeros or
  /// the noise of binary numbers: `5.000` as `5`, `1e2` as `100`, `29.989999999999998` as `29.99`. In a
  /// JSON number the point is never a mark between thousands, as it may be in a printed text.
  ///
  /// - Parameter number: a JSON number.
  static func amount(_ number: String) -> String {
    let text = Array(number.utf8)
    let point = text.firstIndex(of: 0x2E)
    let isPlain = !text.contains { $0 | 0x20 == 0x65 }
    if isPlain, point.map({ text.count - $0 <= 3 }) ?? true { return number }
    if isPlain, let point, text.count - point > noisyDecimals, point <= 9,
      let value = Double(number)
    {
      let rounded = (value * 1e6).rounded() / 1e6
      return canonical("\(rounded)")
    }
    return canonical(number)
  }

  /// More decimals than this are the noise of a binary number.
  private static let noisyDecimals = 10

  /// Returns a whole number as its digits; of another number the text without zeros at the end of
  /// its fraction, and one with an exponent unchanged.
  ///
  /// - Parameter number: a JSON number.
  static func canonical(_ number: String) -> String {
    if number.utf8.allSatisfy(CharacterScan.isDigit) { return number }
    let text = Array(number.utf8)
    let isNegative = text.first == 0x2D
    var digits: [UInt8] = []
    var fractionCount = 0
    var index = isNegative ? 1 : 0
    var isFraction = false
    while index < text.count, text[index] | 0x20 != 0x65 {
      if text[index] == 0x2E {
        isFraction = true
      } else {
        digits.append(text[index])
        if isFraction { fractionCount += 1 }
      }
      index += 1
    }
    while fractionCount > 0, digits.last == 0x30 {
      digits.removeLast()
      fractionCount -= 1
    }
    let hasExponent = index < text.count
    if hasExponent {
      guard let exponent = Int(String(decoding: text[(index + 1)...], as: UTF8.self)),
        exponent.magnitude <= digitLimit, digits.count <= digitLimit
      else { return number }
      fractionCount -= exponent
      while fractionCount < 0 {
        digits.append(0x30)
        fractionCount += 1
      }
      while fractionCount > 0, digits.last == 0x30 {
        digits.removeLast()
        fractionCount -= 1
      }
      if fractionCount > 0 || digits.count > digitLimit { return number }
    }
    var result = Array(digits.dropLast(fractionCount).drop { $0 == 0x30 })
    if result.isEmpty { result = [0x30] }
    if fractionCount > 0 { result += [0x2E] + digits.suffix(fractionCount) }
    if isNegative, result != [0x30] { result.insert(0x2D, at: 0) }
    return String(decoding: result, as: UTF8.self)
  }
}
