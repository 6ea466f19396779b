import Foundation
import OffersFeeds

/// Parses HTTP dates (RFC 9110, section 5.6.7).
enum HTTPDate {
  /// The most bytes of a text that is parsed: more than any date in these forms needs.
  private static let limitBytes = 64

  /// Parses the three forms of a date: `Sun, 06 Nov 1994 08:49:37 GMT`,
  /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`, and other dates with a time and
  /// the month as a word that `DateParser` parses. A date without a zone is in GMT.
  ///
  /// - Returns: nil for a number, such as the 0 of `Expires: 0`, for a day without a time, for a text
  ///   with a line break, which would begin another header if it were sent back, and for other texts.
  static func parse(_ text: String) -> Date? {
    var text = text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    guard text.utf8.count <= limitBytes,
      text.utf8.allSatisfy({ $0 == 0x09 || (0x20..<0x7F).contains($0) }),
      let date = text.withUTF8({ DateParser.parseWritten(UnsafeRawBufferPointer($0)) }),
      !date.isWholeDay
    else { return nil }
    return Date(timeIntervalSince1970: Double(date.seconds))
  }
}
