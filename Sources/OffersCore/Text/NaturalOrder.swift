/// The collation of names: letters are compared by `LetterFolding`, signs such as ® are ignored, and digits
/// compare by their numeric value. Letters are ordered by their code points.
package enum NaturalOrder {
  /// Returns a number below, equal to or above zero when the left text sorts before, with or after
  /// the right one.
  package static func compare(_ left: String, _ right: String) -> Int {
    let (left, right) = (key(left), key(right))
    return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  /// Whether two texts are equal in this order.
  package static func isSame(_ left: String, _ right: String) -> Bool { key(left) == key(right) }

  private static let zero: UInt32 = 0x30

  private static func isDigit(_ letter: UInt32) -> Bool { letter &- zero < 10 }

  /// Iterates over the folded letters and signs of a text, without the ignored ones.
  private struct Letters {
    private var reader: FoldedReader
    /// The letters that are left of the last character, such as the second `s` of `ß`.
    private var pending = LetterFolding.Folded.Scalars()

    init(_ text: UnsafeRawBufferPointer) { reader = FoldedReader(text) }

    @inline(__always)
    mutating func next() -> UInt32? {
      while true {
        if let letter = pending.next() ?? reader.nextASCII() { return letter }
        guard let folded = reader.next() else { return nil }
        pending = folded.scalars
      }
    }

    /// Takes the next letter if it is a digit; otherwise returns nil.
    @inline(__always)
    mutating func nextDigit() -> UInt32? {
      let before = self
      if let letter = next(), isDigit(letter) { return letter }
      self = before
      return nil
    }
  }
}

extension NaturalOrder {
  /// A key whose bytes are ordered as the texts are, for stores that compare bytes: two keys are equal
  /// if the texts are equal in this order.
  package static func key(_ text: String) -> [UInt8] {
    var (text, key) = (text, [UInt8]())
    text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &key) }
    return key
  }

  /// The text as all texts are that equal it in this order: its letters and signs, and numbers without leading
  /// zeros.
  package static func folded(_ text: String) -> String {
    var text = text
    return text.withUTF8 { text in
      var letters = Letters(UnsafeRawBufferPointer(text))
      var folded = ""
      var isAfterDigit = false
      while let letter = letters.next() {
        var kept = letter
        if letter == zero, !isAfterDigit {
          while kept == zero, let next = letters.nextDigit() { kept = next }
        }
        if let scalar = Unicode.Scalar(kept) { folded.unicodeScalars.append(scalar) }
        isAfterDigit = isDigit(letter)
      }
      return folded
    }
  }

  /// Appends the key of a text; see `key(_:)`. Nothing is allocated but room in `key`.
  private static func append(_ text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    var letters = Letters(text)
    // Names have few numbers, each of which takes two bytes more.
    if key.isEmpty { key.reserveCapacity(text.count + 12) }
    while let letter = letters.next() {
      if isDigit(letter) {
        appendNumber(letter, &letters, to: &key)
      } else if letter < 0x80 {
        key.append(UInt8(letter))
      } else if let scalar = Unicode.Scalar(letter), let bytes = UTF8.encode(scalar) {
        // UTF-8 keeps the order of code points.
        key.append(contentsOf: bytes)
      }
    }
  }

  /// Appends a number, whose first digit has been read: a digit, which compares with other letters as
  /// any digit does, the number's length without leading zeros, and its digits.
  private static func appendNumber(
    _ first: UInt32, _ letters: inout Letters, to key: inout [UInt8]
  ) {
    key.append(UInt8(zero))
    let start = key.count
    // The last byte of the length, which is known at the end.
    key.append(0)
    var digit: UInt32? = first
    while let next = digit {
      if key.count == start + 2, key[start + 1] == UInt8(zero) { key.removeLast() }
      key.append(UInt8(next))
      digit = letters.nextDigit()
    }
    let count = key.count - start - 1
    key[start] = UInt8(count % lengthBase)
    if count >= lengthBase {
      key.insert(
        contentsOf: repeatElement(UInt8(lengthBase), count: count / lengthBase), at: start)
    }
  }

  /// Lengths of numbers are written in this base, so that no byte of a key is `separator`.
  private static let lengthBase = Int(separator) - 1

  /// A byte that no key has: UTF-8 has none of this value.
  private static let separator: UInt8 = 0xFF

  /// The keys of several texts as one, such as those of the categories of an offer: before, between and
  /// after them stands a byte that no key has, so that `element(_:)` is found in it.
  package static func keys(_ texts: [String]) -> [UInt8] {
    var keys = [separator]
    for var text in texts {
      text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &keys) }
      keys.append(separator)
    }
    return keys
  }

  /// The bytes that `keys(_:)` of several texts contain if one of the texts is equal to `text` in this
  /// order.
  package static func element(_ text: String) -> [UInt8] {
    keys([text])
  }
}
