import OffersCore

/// Looks up the values of rules in a record and in the document around it.
struct RecordValues {
  private let record: RecordValue
  private let document: DocumentValues
  /// The keys of the record and of the objects around it that a `*` in the path of the items
  /// matches, the innermost last.
  private let ownKeys: [String]

  init(_ record: RecordValue, document: DocumentValues, ownKeys: [String] = []) {
    self.record = record
    self.document = document
    self.ownKeys = ownKeys
  }

  /// The result of a lookup.
  enum Value {
    /// Nothing, null, an empty text or list, or an element without a text.
    case none
    case text(Text)
    /// A value that is neither a text nor a number, with a description such as `a list`.
    case wrong(String)
  }

  struct Text {
    var string: String
    /// Whether U+FFFD stands for invalid parts of the text.
    var isMended = false
    /// Whether the value is a JSON number.
    var isNumber = false
    /// The base of relative links in the value, if an element around it declares one.
    var base: LinkResolver?
  }

  /// The first value of a rule, or all its texts joined if its path has a `*`. A template has a text
  /// only if all of its parts have one.
  func value(_ rule: ValueRule, join: String) -> Value {
    switch rule {
    case .path(let path): return value(path, join: join)
    case .constant(let text): return text.isEmpty ? .none : .text(Text(string: text))
    case .template(let template):
      var result = Text(string: "")
      for part in template.parts {
        switch part {
        case .literal(let text): result.string += text
        case .path(let path):
          let found = value(path, join: join)
          guard case .text(var text) = found else { return found }
          text.string = result.string + text.string
          text.isMended = text.isMended || result.isMended
          result = text
        case .environment, .page, .offset, .next, .query: break
        }
      }
      return .text(result)
    }
  }

  func value(_ path: FieldPath, join: String) -> Value {
    if case .ownKey(let level)? = path.steps.first {
      guard level <= ownKeys.count else { return .none }
      let key = ownKeys[ownKeys.count - level]
      return key.isEmpty ? .none : .text(Text(string: key))
    }
    let start = RecordValue.Found(path.isFromDocument ? document.value : record)
    guard let (next, count) = start.follow(path.steps) else { return .none }
    if count == path.steps.count { return Self.value(next) }
    let rest = path.steps[count...]
    let found = next.find(rest, isRecord: count == 0)
    let takesAll = rest.contains(.all)
    guard takesAll, found.count > 1 else {
      guard let first = found.first else { return .none }
      let value = Self.value(first)
      // The first value may be a null or an element without a text; the next text is used then.
      if case .none = value {
        return found.dropFirst().lazy.map(Self.value).first {
          if case .text = $0 { true } else { false }
        } ?? .none
      }
      if takesAll, case .wrong = value { return .none }
      return value
    }
    var texts: [String] = []
    var isMended = false
    for case .text(let text) in found.lazy.map(Self.value) {
      texts.append(text.string)
      isMended = isMended || text.isMended
    }
    return texts.isEmpty
      ? .none : .text(Text(string: texts.joined(separator: join), isMended: isMended))
  }

  /// Calls `body` with every text and number of a rule, including those in lists. Returns a
  /// description of the last value of another kind, such as `an object`; nil if there is none.
  func forEachText(of rule: ValueRule, _ body: (Text) -> Void) -> String? {
    var wrong: String?
    func take(_ value: Value) {
      switch value {
      case .none: break
      case .text(let text): body(text)
      case .wrong(let kind): wrong = kind
      }
    }
    guard case .path(let path) = rule, path.steps.first?.isOwnKey != true else {
      take(value(rule, join: ""))
      return wrong
    }
    for found in find(path).flatMap(\.elements) { take(Self.value(found)) }
    return wrong
  }

  /// The values of a path in the record.
  ///
  /// - Parameter following: the step that the caller takes from these values.
  func elements(
    _ steps: [FieldPath.Step], before following: FieldPath.Step?
  ) -> [RecordValue.Found] {
    RecordValue.Found(record).find(steps[...], before: following)
  }

  /// The first text at a path from a value of the record; nil if it has none there.
  func text(_ steps: [FieldPath.Step], of element: RecordValue.Found) -> Text? {
    for case .text(let text) in element.find(steps[...], isRecord: false).lazy.map(Self.value)
    where !text.string.isBlank {
      return text
    }
    return nil
  }

  /// The value that says how the amount beside it is meant; see `PercentWord`.
  func kind(at path: FieldPath) -> String { find(path).first?.value.comparedText ?? "" }

  /// Whether a value says that there is more: it is not false, 0, null or empty. Nil without a value.
  func saysMore(_ path: FieldPath) -> Bool? {
    guard let value = find(path).first?.value else { return nil }
    return switch value {
    case .null: false
    case .list(let list): !list.isEmpty
    case .object(let members): !members.isEmpty
    default: value.comparedText.map(PageRule.saysMore) ?? false
    }
  }

  private func find(_ path: FieldPath) -> [RecordValue.Found] {
    RecordValue.Found(path.isFromDocument ? document.value : record).find(path.steps[...])
  }

  private static func value(_ found: RecordValue.Found) -> Value {
    switch found.value {
    case .null: return .none
    case .truth: return .wrong("true or false")
    case .number(let text): return .text(Text(string: text, isNumber: true, base: found.base))
    case .text(let text):
      return text.isEmpty ? .none : .text(Text(string: text, base: found.base))
    case .mendedText(let text):
      return .text(Text(string: text, isMended: true, base: found.base))
    case .list(let list): return list.isEmpty ? .none : .wrong("a list")
    case .object: return .wrong("an object")
    case .element(let element):
      let text = element.text
      return text.isEmpty ? .none : .text(Text(string: text, base: element.base ?? found.base))
    }
  }
}

extension FieldPath.Step {
  fileprivate var isOwnKey: Bool { if case .ownKey = self { true } else { false } }
}
