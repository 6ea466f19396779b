/// Who named the source of a feed. It says how far the source is trusted.
public enum SourceOrigin: String, Hashable, Sendable {
  /// Somebody at the machine, on its command line or in a definition. Only such a source may be a
  /// file or stand in a private network, and only to such a one go the headers of a definition.
  case machine
  /// Somebody who asked by the network, or another caller who is not at the machine.
  case remote
  /// The export that was imported.
  case imported = "import"
}

/// The source of a feed that somebody named instead of the definition's own.
public struct NamedSource: Hashable, Sendable {
  /// An http(s) URL, an absolute path, or `sample`.
  public let text: String
  /// Nil where it is not known: an older version of the program remembered the source. It is trusted
  /// no more than a remote one.
  public let origin: SourceOrigin?

  public init(_ text: String, origin: SourceOrigin?) {
    self.text = text
    self.origin = origin
  }
}
