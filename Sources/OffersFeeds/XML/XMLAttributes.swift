/// The attributes that are written in an element's start tag, without namespace declarations.
///
/// A view that is valid during the call that hands it over; a name is valid until the next one is
/// asked for.
package struct XMLAttributes: Sequence {
  /// expat's list: names and values by turns.
  typealias List = UnsafeMutablePointer<UnsafePointer<CChar>?>

  let list: List?
  /// How many entries of the list count; behind them stand defaults from the document type.
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

  /// The pair as it is written; nil behind the last.
  func pair(at index: Int) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    guard index + 1 < count, let list, let name = list[index], let value = list[index + 1] else {
      return nil
    }
    return (UnsafeRawBufferPointer(cString: name), UnsafeRawBufferPointer(cString: value))
  }
}
