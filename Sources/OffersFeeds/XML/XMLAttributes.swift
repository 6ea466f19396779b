import OffersPlatform

/// The attributes of an element's start tag, without namespace declarations.
///
/// A view that is valid during the handler's call. A name is valid until the next one is requested.
package struct XMLAttributes: Sequence {
  /// expat's list, in which names and values alternate.
  typealias List = UnsafeMutablePointer<UnsafePointer<CChar>?>

  let list: List?
  /// The number of entries of the list, names and values, that the start tag contains. Default
  /// attributes of the document type follow them.
  let count: Int
  let namespaces: XMLNamespaces

  package func makeIterator() -> Iterator {
    Iterator(attributes: self)
  }

  package struct Iterator: IteratorProtocol {
    let attributes: XMLAttributes
    private var index = 0

    init(attributes: XMLAttributes) { self.attributes = attributes }

    package mutating func next() -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
      while let (name, value) = attributes.pair(at: index) {
        index += 2
        if XMLNamespaces.declaredPrefix(name) == nil {
          return (attributes.namespaces.canonicalAttribute(name), value)
        }
      }
      return nil
    }
  }

  /// The value of the attribute `xml:base`; nil if there is none. The prefix `xml` cannot have
  /// another meaning.
  var base: UnsafeRawBufferPointer? {
    var index = 0
    while index + 1 < count, let list, let name = list[index] {
      // Fast path: few names begin with an x.
      if name.pointee == 0x78, let (name, value) = pair(at: index), name.count == 8,
        name.matches("xml:base", at: 0) == true
      {
        return value
      }
      index += 2
    }
    return nil
  }

  /// The attribute whose name is at an even index of the list, as written in the document, followed
  /// by its value; nil after the last one. Namespace declarations are included.
  func pair(at index: Int) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    guard index + 1 < count, let list, let name = list[index], let value = list[index + 1] else {
      return nil
    }
    return (UnsafeRawBufferPointer(cString: name), UnsafeRawBufferPointer(cString: value))
  }
}
