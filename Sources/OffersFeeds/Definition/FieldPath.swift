/// A path to a value, from an item or from the document's root.
///
/// Written as keys separated by dots, such as `location.address`. `[0]` is the first element,
/// `[-1]` the last, `[*]` every element, and `[rel=self]` the first element whose `rel` is `self`.
/// `[picture]` and `[page]` are the elements of an `LinkTargetKind`.
/// `*` in the place of a key is every member of an object.
/// `@name` is an XML attribute, `@key` the key of the item within its parent object. A leading `$.`
/// starts at the document's root. A key that contains one of `. [ ] { } * " '` or begins with `$`
/// is quoted.
package struct FieldPath: Sendable, Hashable {
  /// One step of a path.
  package enum Step: Sendable, Hashable {
    /// A member of a JSON object, an XML element by its name, or an XML attribute as `@name`.
    case key(String)
    /// An element of a list or of repeated elements, counted from 0, or from the end if negative
    /// (-1 is the last).
    case index(Int)
    /// Every element or member.
    case all
    /// The elements whose value at a path of keys equals the text, of which a single value takes
    /// the first. The case of ASCII letters is ignored; an empty text also matches an element
    /// without the value.
    case matching(key: [String], value: String)
    /// The elements that are of a kind by what they state, in the order of `LinkTargetKind.rank`.
    case kind(LinkTargetKind)
    /// The key of the item within its parent object: 1 for its own key, 2 for its parent's. Always
    /// the only step of its path.
    case ownKey(Int)
  }

  /// True when the path starts at the document's root, false when it starts at the item.
  package var isFromDocument: Bool
  package var steps: [Step]

  package init(isFromDocument: Bool = false, _ steps: [Step] = []) {
    self.isFromDocument = isFromDocument
    self.steps = steps
  }

  /// Creates a path of plain keys from the item.
  package init(keys: [String]) {
    self.init(keys.map(Step.key))
  }

  /// The path of the item itself.
  package static let itself = FieldPath()
  /// The path of the document's root.
  package static let root = FieldPath(isFromDocument: true)

  /// The largest number of steps; documents are not nested deeper.
  package static let stepLimit = 128
}

/// Paths of items.
extension FieldPath {
  /// Whether the path can lead to items, which are read one after the other: a condition
  /// (`[key=value]`) and an index from the end (`[-1]`) are only known after the whole list.
  package var canSelectItems: Bool {
    steps.allSatisfy { step in
      switch step {
      case .matching, .kind: false
      case .index(let index): index >= 0
      case .key, .all, .ownKey: true
      }
    }
  }

  static func itemsRefusal(_ path: String) -> String {
    "“\(path)” cannot lead to items: it has a condition or an index from the end."
  }

  static let itemsHint = "Use keys, [*] and indexes from the start, such as groups[0].offers."
}

extension FieldPath: CustomStringConvertible {
  /// The path as written in a definition; parsing it gives an equal path.
  package var description: String {
    if steps.isEmpty { return isFromDocument ? "$" : "." }
    if case .ownKey(let level) = steps[0] { return level == 1 ? "@key" : "@key\(level)" }
    var text = isFromDocument ? "$" : ""
    for (position, step) in steps.enumerated() {
      switch step {
      case .key(let key):
        if !text.isEmpty { text += "." }
        let isSpecial = !isFromDocument && position == 0 && isSpecialStart(key)
        let isBare = Self.isBareKey(key) && !isSpecial
        text += isBare ? key : Self.quoted(key)
      case .index(let index):
        text += "[\(index)]"
      case .all:
        text += text.isEmpty ? "*" : "[*]"
      case .matching(let keys, let value):
        let path = keys.map { Self.isBareKey($0, isInBrackets: true) ? $0 : Self.quoted($0) }
        let right = Self.isBareValue(value) ? value : Self.quoted(value)
        text += "[\(path.joined(separator: "."))=\(right)]"
      case .kind(let kind):
        text += "[\(kind.rawValue)]"
      case .ownKey:
        break
      }
    }
    return text
  }

  /// The path as written where all paths start at the document's root, without the `$`.
  package var descriptionFromRoot: String {
    var path = self
    path.isFromDocument = false
    return path.description
  }

  /// Whether a key can be written without quotes.
  private static func isBareKey(_ key: String, isInBrackets: Bool = false) -> Bool {
    let scalars = key.unicodeScalars
    guard let first = scalars.first, let last = scalars.last, key != "@" else { return false }
    if first == " " || last == " " { return false }
    return scalars.allSatisfy { scalar in
      !FieldPathScanner.reserved.contains(scalar) && scalar.value >= 0x20
        && !(isInBrackets && scalar == "=")
    }
  }

  /// Whether a key has another meaning at the start of a path or of a template's placeholder.
  private func isSpecialStart(_ key: String) -> Bool {
    if key.unicodeScalars.first == "$" || key.hasPrefix("env:") { return true }
    return steps.count == 1 && key.hasPrefix("@key")
      && key.unicodeScalars.dropFirst(4).allSatisfy { ("0"..."9").contains($0) }
  }

  private static func isBareValue(_ value: String) -> Bool {
    let scalars = value.unicodeScalars
    guard let first = scalars.first, let last = scalars.last else { return false }
    let isOpen = scalars.allSatisfy { scalar in
      scalar.value >= 0x20 && (scalar == "." || !FieldPathScanner.reserved.contains(scalar))
    }
    return first != " " && last != " " && isOpen
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }
}
