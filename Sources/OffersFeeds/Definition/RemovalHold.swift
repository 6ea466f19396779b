import OffersCore

/// How long a document that would remove many offers is held back: until a later document, fetched
/// after that time, lacks the same offers. Written as `6h`, `0` or `never`.
package enum RemovalHold: Hashable, Sendable {
  /// A number of seconds; 0 for feeds that turn over by nature, whose offers go at once.
  case seconds(Int)
  /// Only a person removes the offers.
  case never

  /// The hold of a feed whose definition has none.
  package static let usual = RemovalHold.seconds(6 * 3600)

  /// - Throws: `OffersError` with `invalidRequest` for another text.
  init(parsing text: String) throws {
    switch text {
    case "never": self = .never
    case "0": self = .seconds(0)
    default:
      do {
        self = .seconds(try IntervalText.seconds(parsing: text))
      } catch is OffersError {
        throw OffersError(
          .invalidRequest, "“\(text)” is not a time for which removals are held back.",
          hint: "Write a number and m, h, d or w, as in 6h or 2d, or 0, or never.")
      }
    }
  }

  /// The text in a definition.
  var text: String {
    switch self {
    case .never: "never"
    case .seconds(0): "0"
    case .seconds(let seconds): IntervalText.text(seconds: seconds)
    }
  }
}
