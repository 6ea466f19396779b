/// The name of a host, which is recognized as private or not without resolving it.
struct HostName: Hashable, Sendable {
  /// The labels in lower case, without the empty root label after a final dot.
  private let labels: [Substring]

  init(_ name: String) {
    var labels = name.lowercased().split(scalar: ".", omittingEmptySubsequences: false)
    if labels.last == "" { labels.removeLast() }
    self.labels = labels
  }

  /// Whether the name can only mean this machine or a host in its local network: it has one label,
  /// or a suffix that is reserved for that (RFC 6761, RFC 6762, RFC 8375 and, for `internal`, the
  /// resolution of ICANN of 2024-07-29). A final dot is ignored.
  var isPrivate: Bool {
    labels.count < 2 || Self.privateEnds.contains { labels.suffix($0.count).elementsEqual($0) }
  }

  private static let privateEnds: [[Substring]] = [
    ["localhost"], ["local"], ["internal"], ["home", "arpa"],
  ]
}
