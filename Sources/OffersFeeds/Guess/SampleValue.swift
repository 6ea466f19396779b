/// A value of a document's sample, the same for every format.
///
/// An XML element is an object whose attributes are members with an `@` before the name, or a text
/// when it has nothing else; elements of one name beside each other are a list.
indirect enum SampleValue: Sendable {
  case text(SampleText)
  case truth
  case null
  case list(SampleList)
  case object(SampleObject)

  /// The values in a list, lists in it taken apart; any other value is its own only one.
  var elements: [SampleValue] {
    guard case .list(let list) = self else { return [self] }
    return list.elements.flatMap(\.elements)
  }

  /// The object, or the first one of a list.
  var object: SampleObject? {
    for case .object(let object) in elements { return object }
    return nil
  }
}

/// A text or a number, cut after `limitBytes`.
struct SampleText: Sendable {
  let text: String
  let isNumber: Bool
  /// How many bytes the document has for it.
  let sizeBytes: Int

  static let limitBytes = 1024

  init(_ text: String, isNumber: Bool = false, sizeBytes: Int? = nil) {
    self.text = text
    self.isNumber = isNumber
    self.sizeBytes = sizeBytes ?? text.utf8.count
  }
}

/// The first values of a list.
struct SampleList {
  var elements: [SampleValue]
  /// How many the document has, kept or not.
  var count: Int
}

/// The first members of an object, in order.
struct SampleObject: Sendable {
  var members: [(key: String, value: SampleValue)]
  /// What an XML element says beside its members; nil when that is nothing.
  var text: SampleText?

  subscript(key: String) -> SampleValue? {
    members.last { $0.key == key }?.value
  }

  /// How many texts, numbers and truths stand in it, objects in it included and lists not.
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
