import OffersCore

/// Decodes the texts of an export, in which the scanner has checked the escapes.
enum ExportText {
  /// Returns the text, or nil for one with invalid UTF-8, an unpaired surrogate, or a NUL, which
  /// would truncate it in a database.
  static func decode(
    _ start: JSONScanner.Position, _ count: Int, _ traits: JSONScanner.TextTraits
  ) -> String? {
    let raw = UnsafeBufferPointer(start: start, count: count)
    if traits.hasEscapes {
      let (bytes, isValid) = JSONEscapes.decode(UnsafeRawBufferPointer(raw))
      return isValid && !bytes.contains(0) ? String(validating: bytes, as: UTF8.self) : nil
    }
    if !traits.hasNonASCII { return String(decoding: raw, as: UTF8.self) }
    return String(validating: raw, as: UTF8.self)
  }
}
