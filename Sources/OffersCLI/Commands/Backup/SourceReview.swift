import OffersCore
import OffersSQLite
import OffersSync

/// The check of the sources of an import.
struct SourceReview: Sendable {
  /// Whether the user accepts the sources as their own (`--accept-sources`).
  let isAccepting: Bool

  /// The maximum number of refused sources in an error message.
  private static let namedCount = 10

  /// Sets the origin of each source: `machine` if the user accepts the sources, else `imported`;
  /// nil for a source that is left out, because it has a variable or cannot be read.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if a source is a file, is in a private network,
  ///   has a variable, or cannot be read, unless the user accepts the sources.
  func review(_ sources: [ImportedSource]) throws -> [ImportedSource] {
    var reviewed = sources
    var refused: [String] = []
    for (index, source) in sources.enumerated() {
      let reach = SourceReach(of: source.text)
      if !isAccepting, let reason = Self.reason(reach) {
        refused.append("\(source.feed): \(source.text.prefix(300)) (\(reason))")
      }
      let canBeRead = reach != .variable && reach != .none
      reviewed[index].origin = canBeRead ? isAccepting ? .machine : .imported : nil
    }
    if refused.isEmpty { return reviewed }
    let rest = refused.count - Self.namedCount
    throw OffersError(
      .invalidRequest,
      "The document names sources that only somebody at this machine may name: "
        + refused.prefix(Self.namedCount).joined(separator: ", ")
        + (rest > 0 ? " and \(Units.count(rest)) more." : "."),
      hint: "Nothing was changed. If they are yours, add --accept-sources: they are then read from "
        + "this machine. A source with a variable is left out; write it into a definition.")
  }

  /// The line about a source that an import prints.
  static func line(_ source: ImportedSource) -> String {
    DisplayText.oneLine(
      source.origin == nil
        ? "\(source.feed): its source \(source.text) was left out"
        : "\(source.feed): now read from \(source.text)")
  }

  private static func reason(_ reach: SourceReach) -> String? {
    switch reach {
    case .open: nil
    case .file: "a file"
    case .privateNetwork: "in a private network"
    case .variable: "with a variable"
    case .none: "cannot be read"
    }
  }
}
