import OffersCore
import OffersSQLite
import OffersSync

/// Decides about the sources that an import would read feeds from.
struct SourceReview: Sendable {
  /// Whether somebody at the machine takes them for their own.
  let isAccepting: Bool

  /// How many refused sources are named.
  private static let namedCount = 10

  /// Sets the origin of each source; none for one that nobody can take over.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for sources that only somebody at the machine may
  ///   name, where nobody accepts them.
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
      hint: "Nothing was changed. If they are yours, add --accept-sources: they are read from this "
        + "machine then. A source with a variable is left out; write it into a definition.")
  }

  /// What an import tells of a source.
  static func line(_ source: ImportedSource) -> String {
    DisplayText.oneLine(
      source.origin == nil
        ? "\(source.feed): left out is its source \(source.text)"
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
