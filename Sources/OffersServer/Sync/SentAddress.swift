import Foundation
import OffersCore
import OffersPlatform

/// The address of a feed that a request names.
package enum SentAddress {
  /// Checks that an address is an http or https URL without environment variables. Reading files and
  /// variables of the machine is reserved to the command line.
  ///
  /// - Parameters:
  ///   - address: the address as the user typed it.
  ///   - hint: the hint of the error: how to name the source on the server's own machine.
  /// - Throws: `OffersError` with `invalidRequest`.
  package static func check(_ address: String, hint: String) throws {
    let url = URL(string: address)
    guard ["http", "https"].contains(url?.scheme?.lowercased()), url?.host != nil else {
      throw OffersError(
        .invalidRequest,
        "“\(address.prefix(200))” is not an http:// or https:// address.", hint: hint)
    }
    if address.contains("{env:") {
      throw OffersError(
        .invalidRequest,
        "A source with an environment variable cannot be set over HTTP.",
        hint: hint)
    }
  }

  /// How to add a source on the server's own machine, where it may be any source: the hint of an
  /// error about a feed to add.
  package static func addingHint(_ source: String) -> String {
    let word = ShellQuoting.word(String(source.prefix(200)))
    return "On the server's own machine: offers feeds add NAME \(word)"
  }

  /// An address that a person typed into a form, where `https://` may be left out.
  static func completed(_ text: String) -> String {
    let isBare =
      text.contains(".") && !text.contains("://") && !text.hasPrefix(".")
      && !text.hasPrefix("/") && !text.contains(where: \.isWhitespace)
    return isBare ? "https://" + text : text
  }
}
