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
