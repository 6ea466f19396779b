import Foundation
import OffersCore

/// Where a source leads, as far as its text tells: no name is looked up, so that one that seems to be
/// on the public internet need not be there when it is read.
package enum SourceReach: Hashable, Sendable {
  /// A server on the public internet, or the built-in sample.
  case open
  /// A file of the machine that reads it.
  case file
  /// A server in a private network, or on the machine that reads it.
  case privateNetwork
  /// It has a variable in it, which works in definitions only.
  case variable
  /// It cannot be read again, or not at all.
  case none

  package init(of text: String) {
    let template = SourceTemplate(text) { _ in nil }
    if template.hasVariables {
      self = .variable
      return
    }
    // Why it cannot be read does not matter here.
    switch try? DocumentSource(text) {
    case .sample: self = .open
    case .file: self = .file
    case .url: self = Self.reach(of: template)
    case .standardInput, nil: self = .none
    }
  }

  private static func reach(of template: SourceTemplate) -> SourceReach {
    // What no request can be made for is not read, either.
    guard let address = try? template.filled(page: 1),
      let (_, name) = try? HTTPConnections.normalized(address)
    else { return .none }
    let isPublic = HostAddresses.literal(name)?.isPublic ?? !HostName(name).isPrivate
    return isPublic ? .open : .privateNetwork
  }
}
