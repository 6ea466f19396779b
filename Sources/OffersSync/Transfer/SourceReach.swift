import Foundation
import OffersCore

extension ImportedFeedSource {
  /// Sets the origin of each source of an import: `machine` if the user accepts them as their own, else
  /// `imported`. A source that is left out gets none, but the reason: one that has a variable or cannot be
  /// read, and, unless the user accepts the sources, one that is a file or in a private network.
  package static func review(
    _ sources: [ImportedFeedSource], isAccepting: Bool
  ) -> [ImportedFeedSource] {
    sources.map { source in
      var source = source
      source.refusal =
        switch SourceReach(of: source.text) {
        case .open: nil
        case .file: isAccepting ? nil : .file
        case .privateNetwork: isAccepting ? nil : .privateNetwork
        case .variable: .variable
        case .none: .unreadable
        }
      source.origin = source.refusal != nil ? nil : isAccepting ? .machine : .imported
      return source
    }
  }
}

/// The kind of place that a source leads to, judged by its text alone.
///
/// No host name is resolved, so that a name that seems to be public may still lead to a private
/// address. A fetch checks the address itself.
package enum SourceReach: Hashable, Sendable {
  /// A server that may be on the public internet, or the built-in sample.
  case open
  /// A file on this machine.
  case file
  /// A server in a private network, or on this machine.
  case privateNetwork
  /// A source with an environment variable (`{env:NAME}`), which only a definition may have.
  case variable
  /// An invalid source, or standard input, which cannot be read again.
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
    // A URL that no request can be made for counts as invalid.
    guard let address = try? template.filled(page: 1),
      let found = HTTPAddress(address)
    else { return .none }
    return found.isPrivate ? .privateNetwork : .open
  }
}
