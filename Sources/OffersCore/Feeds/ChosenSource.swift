/// Who named the source of a feed, which determines how far the source is trusted.
public enum SourceOrigin: String, Hashable, Sendable {
  /// A user of this machine, by `SyncOptions.source` or in a definition. Only a source with this
  /// origin may be a file or an address in a private network, and only it receives the headers of a
  /// definition.
  case machine
  /// A user of the server's web pages or API, or another caller from outside this machine.
  case remote
  /// An imported export.
  case imported = "import"
}

/// The source of a feed that was named instead of the definition's own source.
package struct ChosenSource: Hashable, Sendable {
  /// An http(s) URL, an absolute path, or `sample`.
  package let text: String
  /// Nil when the origin is unknown, because an older version of the program stored the source.
  /// Such a source is trusted no more than a `remote` one.
  package let origin: SourceOrigin?

  package init(_ text: String, origin: SourceOrigin?) {
    self.text = text
    self.origin = origin
  }
}
