import Foundation
import OffersCore

/// The kind of place that a source leads to, judged by its text alone.
///
/// No name is looked up, so that a host that seems to be public may still resolve to a private
/// address; the fetch checks that again.
package enum SourceReach: Hashable, Sendable {
  /// A server on the public internet, or the built-in sample.
  case open
  /// A file.
  case file
  /// A server in a private network, or on this machine.
  case privateNetwork
  /// A source with a variable, which works in definitions only.
  case variable
  /// A source that cannot be read, or not again.
  case none

  package init(of text: String) {
    let template = SourceTemplate(text) { _ in nil }
    if template.hasVariables {
      self = .variable
      return
    }
    // The reason why a source is invalid is not needed.
    switch try? SyncSource(parsing: text) {
    case .sample: self = .open
    case .file: self = .file
    case .url: self = Self.reach(of: template)
    case .standardInput, nil: self = .none
    }
  }

  private static func reach(of template: SourceTemplate) -> SourceReach {
    // A source for which no request can be made counts as unreadable.
    guard let address = try? template.filled(page: 1),
      let found = HTTPAddress(address)
    else { return .none }
    return found.isPrivate ? .privateNetwork : .open
  }
}
