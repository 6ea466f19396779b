/// A value in a sample of a document of any format.
///
/// An XML element with text only is a text, and an empty one is null. Any other is an object whose
/// attributes are members with an `@` before the name. Sibling elements with the same name are a
/// list.
indirect enum SampleValue: Sendable {
  case text(SampleText)
  case truth
  case null
  case list(SampleList)
  case object(SampleObject)

  /// The elements of a list, with nested lists flattened; another value is its own only element.
  var elements: [SampleValue] {
    var elements: [SampleValue] = []
    appendElements(to: &elements)
    return elements
  }

  private func appendElements(to elements: inout [SampleValue]) {
    guard case .list(let list) = self else { return elements.append(self) }
    for element in list.elements { element.appendElements(to: &elements) }
  }

  /// The object, or the first object of a list.
  var object: SampleObject? {
    switch self {
    case .object(let object): object
    case .list(let list): list.elements.lazy.compactMap(\.object).first
    case .text, .truth, .null: nil
    }
  }
}

/// A text or number, truncated to `limitBytes`.
struct SampleText: Sendable {
  let text: String
  let isNumber: Bool
  /// The number of bytes in the document.
  let sizeBytes: Int

  static let limitBytes = 1024

  init(_ text: String, isNumber: Bool = false, sizeBytes: Int? = nil) {
    self.text = text
    self.isNumber = isNumber
    self.sizeBytes = sizeBytes ?? text.utf8.count
  }
}

/// The first elements of a list.
struct SampleList {
  var elements: [SampleValue]
  /// The number of elements in the document, kept or not.
  var count: Int
}

/// The first members of an object, in order.
struct SampleObject: Sendable {
  var members: [(key: String, value: SampleValue)]
  /// The text of an XML element that also has attributes or children; nil when it is blank.
  var text: SampleText?

  subscript(key: String) -> SampleValue? {
    members.last { $0.key == key }?.value
  }

  /// The number of texts, numbers, Booleans and nulls in the object and in two levels of objects
  /// within it, lists excluded.
  func leafCount(depth: Int = 0) -> Int {
    var count = text == nil ? 0 : 1
    for (_, value) in members {
      switch value {
      case .text, .truth, .null: count += 1
      case .object(let object): if depth < 2 { count += object.leafCount(depth: depth + 1) }
      case .list: break
      }
    }
    return count
  }
}
