import Foundation

/// An estimate of the number of guesses that a token withstands.
///
/// The estimate knows the patterns that guessing programs try first: repetitions, sequences of the
/// alphabet and of the keyboard, frequent words, words and numbers in general. A text of long words
/// counts 2.5 bits a letter, about as many as words that were chosen at random have. It is rough:
/// words of fewer than five letters count like random ones.
enum TokenStrength {
  /// The least accepted estimate, in bits.
  static let leastBits = 60.0

  /// The estimated binary logarithm of the number of guesses.
  ///
  /// - Parameter token: printable ASCII, at most some thousand characters.
  static func bits(of token: String) -> Double {
    // A long token is strong by its first characters, or else repeats them.
    let text = Array(token.utf8.prefix(256))
    let lower = text.map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }
    let runs = runs(of: text)
    let plain = log2(poolSize(of: text))
    var bits = 0.0
    var place = 0
    var seenMarks: Set<UInt8> = []
    while place < text.count {
      let pattern = pattern(in: lower, at: place)
      let alone = cost(of: text[place], run: runs[place], plain: plain, &seenMarks)
      if let pattern, pattern.bits < alone * Double(pattern.count) {
        bits += pattern.bits
        place += pattern.count
      } else {
        bits += alone
        place += 1
      }
    }
    return bits
  }

  /// The bits of one character outside of any pattern. A mark between words is soon guessed, and
  /// guessed at once where it returns.
  private static func cost(
    of byte: UInt8, run: Int, plain: Double, _ seenMarks: inout Set<UInt8>
  ) -> Double {
    switch kind(of: byte) {
    case .mark: seenMarks.insert(byte).inserted ? 3 : 1
    case .digit: run >= 4 ? min(plain, log2(10)) : plain
    case .lower, .upper: run >= 5 ? min(plain, 2.5) : plain
    }
  }

  private enum Kind { case lower, upper, digit, mark }

  private static func kind(of byte: UInt8) -> Kind {
    switch byte {
    case 0x61...0x7A: .lower
    case 0x41...0x5A: .upper
    case 0x30...0x39: .digit
    default: .mark
    }
  }

  /// The number of characters that a random token of the same kinds of characters is made from.
  private static func poolSize(of text: [UInt8]) -> Double {
    let kinds = Set(text.map(kind))
    let isHex = kinds.isSubset(of: [.digit, .lower]) || kinds.isSubset(of: [.digit, .upper])
    if kinds == [.digit] { return 10 }
    if isHex, kinds.contains(.digit), text.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    {
      return 16
    }
    var size = 0.0
    if kinds.contains(.lower) { size += 26 }
    if kinds.contains(.upper) { size += 26 }
    if kinds.contains(.digit) { size += 10 }
    if kinds.contains(.mark) { size += 32 }
    return size
  }

  /// For each character, the length of the run of characters of its kind that it is part of. A
  /// capital belongs to the small letters after it. A hexadecimal number has no runs of letters.
  private static func runs(of text: [UInt8]) -> [Int] {
    if poolSize(of: text) == 16 { return text.map { _ in 1 } }
    var runs: [Int] = []
    var start = 0
    for place in text.indices {
      let isLast = place == text.count - 1
      let isCapital =
        place == start && kind(of: text[place]) == .upper && !isLast
        && kind(of: text[place + 1]) == .lower
      if !isLast, kind(of: text[place]) == kind(of: text[place + 1]) || isCapital { continue }
      runs += Array(repeating: place - start + 1, count: place - start + 1)
      start = place + 1
    }
    return runs
  }

  /// The longest pattern that begins at a place, and its bits.
  private static func pattern(in text: [UInt8], at place: Int) -> (count: Int, bits: Double)? {
    let rest = text[place...]
    var best: (count: Int, bits: Double)?
    func offer(_ count: Int, _ bits: Double) {
      if count > best?.count ?? 0 { best = (count, bits) }
    }
    if let word = words.filter({ rest.starts(with: $0) }).max(by: { $0.count < $1.count }) {
      offer(word.count, 10)
    }
    let sequence = sequenceCount(rest)
    if sequence >= 3 { offer(sequence, 6 + log2(Double(sequence))) }
    let repeated = repeatedCount(text, place)
    if repeated >= 3 { offer(repeated, 2 + log2(Double(place)) + log2(Double(repeated))) }
    return best
  }

  /// The length of the sequence that a text begins with: equal characters, neighbors in the
  /// alphabet, or neighbors on the keyboard, in either direction.
  private static func sequenceCount(_ text: ArraySlice<UInt8>) -> Int {
    let text = Array(text)
    guard text.count > 1 else { return text.count }
    var longest = 1
    for step in [0, 1, -1] {
      var count = 1
      while count < text.count, Int(text[count]) - Int(text[count - 1]) == step { count += 1 }
      longest = max(longest, count)
    }
    for row in rows {
      guard let start = row.firstIndex(of: text[0]) else { continue }
      var count = 1
      while count < text.count, start + count < row.count, text[count] == row[start + count] {
        count += 1
      }
      longest = max(longest, count)
    }
    return longest
  }

  /// The length of the longest text at a place that also begins before it.
  private static func repeatedCount(_ text: [UInt8], _ place: Int) -> Int {
    var longest = 0
    for earlier in 0..<place {
      var count = 0
      while place + count < text.count, text[earlier + count] == text[place + count] { count += 1 }
      longest = max(longest, count)
    }
    return longest
  }

  private static let rows: [[UInt8]] = [
    "1234567890", "qwertyuiop", "qwertzuiop", "asdfghjkl",
    "zxcvbnm", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn", "1q2w3e4r5t6z", "1qaz2wsx3edc",
  ].flatMap { [Array($0.utf8), Array($0.utf8.reversed())] }

  /// Frequent words of tokens and passwords.
  private static let words: [[UInt8]] = [
    "access", "admin", "batteries", "battery", "bearer", "changeme", "change", "correct", "default",
    "dragon", "example", "football", "guest", "hello", "horse", "iloveyou", "letmein", "login",
    "master", "monkey", "offers", "offer", "p@ssw0rd", "p4ssw0rd", "passw0rd", "password",
    "passwort", "passphrase", "please", "princess", "private", "public", "qwerty", "root", "secret",
    "secure", "server", "session", "shadow", "staple", "sunshine", "superman", "test", "token",
    "user", "welcome", "winter", "summer", "autumn", "spring", "world",
  ].map { Array($0.utf8) }
}
