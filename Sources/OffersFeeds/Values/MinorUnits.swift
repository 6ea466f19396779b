/// Writes a number of minor units, such as cents, as the amount that it stands for.
///
/// Only the point is moved: no digit is lost, rounded or made up.
enum MinorUnits {
  /// More decimals than any currency has.
  static let placesLimit = 12

  /// `15.99` for `1599` and two places; nil for what is no plain number in ASCII digits.
  ///
  /// Decimals behind a point stay behind those of the unit (`1599.5` is `15.995`), and zeros there
  /// are left out.
  ///
  /// - Parameter places: how many decimals the unit has, at most `placesLimit`.
  static func amount(_ text: UnsafeRawBufferPointer, places: Int) -> [UInt8]? {
    let text = text.trimmed()
    let isNegative = text.first == 0x2D
    let number = text.tail(from: isNegative ? 1 : 0)
    let point = number.firstIndex(of: 0x2E) ?? number.count
    let whole = number.slice(0, point)
    let rest = number.tail(from: min(point + 1, number.count))
    guard (0...placesLimit).contains(places), !whole.isEmpty, number.count <= 40,
      whole.allSatisfy(PrintedCharacters.isDigit), rest.allSatisfy(PrintedCharacters.isDigit),
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
