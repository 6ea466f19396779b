/// The start tag of an XML document's root element: its name and its namespace.
struct XMLRootTag {
  /// The local name, without the prefix of its namespace.
  let name: String
  /// The URI of the namespace, as `KnownXMLNamespaces.normalized` returns it; nil when none is
  /// declared.
  let namespace: String?

  /// Returns the root's tag of the document with these first bytes; nil when the tag is incomplete.
  static func find(in start: [UInt8]) -> XMLRootTag? {
    let root = Handler()
    let tokens = XMLTokenReader(handler: root)
    let mender = XMLMender()
    do {
      try start.withUnsafeBytes { try mender.consume($0) { try tokens.consume($0) } }
      try mender.finish { try tokens.consume($0) }
      try tokens.finish()
    } catch {
      // The feed reader reports the reason of a fault.
    }
    return root.tag
  }

  /// Ends the reading once the tag is found.
  private struct Stop: Error {}

  private final class Handler: XMLTokenHandler {
    private(set) var tag: XMLRootTag?

    func start(_ name: UnsafeRawBufferPointer, _ attributes: XMLAttributes) throws {
      tag = XMLRootTag(
        name: String(decoding: name, as: UTF8.self), namespace: attributes.namespaces.rootURI)
      throw Stop()
    }

    func text(_ text: UnsafeRawBufferPointer) {}
    func end(_ name: UnsafeRawBufferPointer) {}
  }
}
