import OffersCore

/// The check of the sources of an import.
package struct SourceReview: Sendable {
  /// Whether the user accepts the sources as their own.
  private let isAccepting: Bool

  package init(isAccepting: Bool) { self.isAccepting = isAccepting }

  /// Sets the origin of each source: `machine` if the user accepts the sources, else `imported`. A
  /// source that is left out gets none, but the reason: one that has a variable or cannot be read,
  /// and, unless the user accepts the sources, one that is a file or in a private network.
  package func review(_ sources: [ImportedFeedSource]) -> [ImportedFeedSource] {
    sources.map { source in
      var source = source
      source.refusal = refusal(SourceReach(of: source.text))
      source.origin = source.refusal != nil ? nil : isAccepting ? .machine : .imported
      return source
    }
  }

  private func refusal(_ reach: SourceReach) -> ImportedFeedSource.Refusal? {
    switch reach {
    case .open: nil
    case .file: isAccepting ? nil : .file
    case .privateNetwork: isAccepting ? nil : .privateNetwork
    case .variable: .variable
    case .none: .unreadable
    }
  }
}
