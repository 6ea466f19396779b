import OffersCore

/// The namespace declarations in force, and the canonical names that follow from them.
///
/// A document may call a namespace what it likes; here a known one has always the same prefix, so
/// that a definition of a feed fits every document of its kind. The namespace of the root element
/// has none, whatever the document writes. An unknown namespace and one that was not declared keep
/// the prefix as it is written. (Namespaces in XML 1.0.)
///
/// As long as every declaration asks for the prefix that its namespace has anyway, names pass
/// without being looked at.
final class XMLNamespaces {
  private struct Binding {
    /// Empty for the default namespace.
    let prefix: [UInt8]
    let canonical: [UInt8]
    /// Of the element that declares it.
    let depth: Int
    var isIdentity: Bool { prefix == canonical }
  }

  private var bindings: [Binding] = []
  private var renamingCount = 0
  /// The depth of the last declaration.
  private var lastDepth = 0
  private var rootURI: String?
  private let elementName: UnsafeMutableRawBufferPointer
  private let attributeName: UnsafeMutableRawBufferPointer

  static let limit = 256
  private static let longestPrefix = 16

  /// - Parameter nameBytes: the most bytes that a name as written has.
  init(nameBytes: Int) {
    elementName = .allocate(byteCount: nameBytes + Self.longestPrefix, alignment: 1)
    attributeName = .allocate(byteCount: nameBytes + Self.longestPrefix, alignment: 1)
  }

  deinit {
    elementName.deallocate()
    attributeName.deallocate()
  }

  // MARK: Declarations

  /// The prefix that an attribute declares, empty for the default; nil for any other attribute.
  @inline(__always)
  static func declaredPrefix(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard name.first == 0x78, name.matches("xmlns", at: 0) == true else { return nil }
    if name.count == 5 { return name.tail(from: 5) }
    return name[5] == 0x3A ? name.tail(from: 6) : nil
  }

  /// Takes one declaration of an element at `depth`. For the root element, `enter` goes before.
  /// - Throws: `limitExceeded` when too many are in force.
  func declare(
    _ prefix: UnsafeRawBufferPointer, _ uri: UnsafeRawBufferPointer, depth: Int
  ) throws {
    if bindings.count == Self.limit {
      throw OffersError(
        .limitExceeded, "The document declares more than \(Self.limit) namespaces at a time.",
        hint: "Nothing was changed. Check that the source is an offers feed.")
    }
    let printed = Array(prefix)
    let address = Array(uri)
    var canonical = printed
    if XMLVocabulary.normalized(address) == rootURI {
      canonical = []
    } else if let known = XMLVocabulary.findPrefix(of: address) {
      canonical = known
    }
    let binding = Binding(prefix: printed, canonical: canonical, depth: depth)
    bindings.append(binding)
    lastDepth = depth
    if !binding.isIdentity { renamingCount += 1 }
  }

  /// Notes the namespace of the root element, before its declarations are taken.
  func enter(root name: UnsafeRawBufferPointer, _ attributes: XMLAttributes) {
    let wanted = name.firstIndex(of: 0x3A).map { name.slice(0, $0) } ?? name.slice(0, 0)
    var index = 0
    while let (name, uri) = attributes.pair(at: index) {
      if let prefix = Self.declaredPrefix(name), prefix.elementsEqual(wanted), !uri.isEmpty {
        rootURI = XMLVocabulary.normalized(Array(uri))
      }
      index += 2
    }
  }

  /// Forgets the declarations of an element at `depth`, which ended.
  @inline(__always)
  func leave(depth: Int) {
    if depth <= lastDepth { removeBindings(depth: depth) }
  }

  private func removeBindings(depth: Int) {
    while let last = bindings.last, last.depth >= depth {
      if !last.isIdentity { renamingCount -= 1 }
      bindings.removeLast()
    }
    lastDepth = bindings.last?.depth ?? 0
  }

  // MARK: Names

  /// An element's name, valid until the next one is asked for.
  @inline(__always)
  func canonicalElement(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    renamingCount == 0 ? name : rename(name, isElement: true, elementName)
  }

  /// An attribute's name, valid until the next one is asked for.
  @inline(__always)
  func canonicalAttribute(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    renamingCount == 0 ? name : rename(name, isElement: false, attributeName)
  }

  private func rename(
    _ name: UnsafeRawBufferPointer, isElement: Bool, _ space: UnsafeMutableRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    let colon = name.firstIndex(of: 0x3A)
    // The default namespace is not for attributes.
    if colon == nil && !isElement { return name }
    let prefix = name.slice(0, colon ?? 0)
    guard let binding = bindings.last(where: { $0.prefix.elementsEqual(prefix) }),
      !binding.isIdentity
    else { return name }
    let local = colon.map { name.tail(from: $0 + 1) } ?? name
    var count = 0
    if !binding.canonical.isEmpty {
      space.copyBytes(from: binding.canonical)
      space[binding.canonical.count] = 0x3A
      count = binding.canonical.count + 1
    }
    guard count + local.count <= space.count else { return name }
    UnsafeMutableRawBufferPointer(rebasing: space[count...]).copyMemory(from: local)
    return UnsafeRawBufferPointer(space).slice(0, count + local.count)
  }
}
