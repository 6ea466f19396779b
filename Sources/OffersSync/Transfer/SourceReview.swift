import OffersCore

/// The check of the sources of an import.
package struct SourceReview: Sendable {
  /// Whether the user accepts the sources as their own.
  private let isAccepting: Bool

  /// The maximum number of refused sources in an error message.
  private static let namedCount = 10

  package init(isAccepting: Bool) { self.isAccepting = isAccepting }

  /// Sets the origin of each source: `machine` if the user accepts the sources, else `imported`;
  /// nil for a source that is left out, because it has a variable or cannot be read.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if a source is a file, is in a private network,
  ///   has a variable, or cannot be read, unless the user accepts the sources.
  package func review(_ sources: [ImportedSource]) throws -> [ImportedSource] {
    var reviewed = sources
    var refused: [String] = []
    for (index, source) in sources.enumerated() {
      let reach = SourceReach(of: source.text)
      if !isAccepting, let reason = Self.reason(reach) {
        refused.append("\(source.feed): \(source.shownText.prefix(300)) (\(reason))")
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
      advice: Advice(
        "Nothing was changed. If they are yours", .acceptSources,
        ": they are then read from this machine. A source with a variable is left out; write it "
          + "into a definition."))
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
