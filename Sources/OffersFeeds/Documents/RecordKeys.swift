/// The keys of a record that was skipped, for a message.
enum RecordKeys {
  private static let limit = 100

  /// Returns the first keys of the object at `start`, without those that contain escapes; none for
  /// another value. The value must be valid JSON.
  static func find(_ scanner: JSONScanner, at start: JSONScanner.Position) -> [String] {
    var p = start
    var keys: [String] = []
    guard p.pointee == 0x7B else { return [] }
    p += 1
    do {
      while keys.count < limit {
        scanner.skipWhitespace(&p)
        var traits = JSONScanner.TextTraits()
        let key = try scanner.scanKey(&p, &traits)
        if !traits.hasEscapes { keys.append(String(decoding: key, as: UTF8.self)) }
        try scanner.skipValue(&p, depth: 1)
        scanner.skipWhitespace(&p)
        guard p.pointee == 0x2C else { break }
        p += 1
      }
    } catch {
      // The scanner refuses the end of an empty object as a key; the keys so far are sufficient.
    }
    return keys
  }
}
