import Mustache
import OffersCore

/// The variables of a template, by name. A section of a template is skipped for nil, false and an
/// empty list.
struct PageFields: MustacheParent, Sendable {
  private var values: [String: any Sendable] = [:]

  init(_ fill: (inout PageFields) -> Void = { _ in }) {
    fill(&self)
  }

  func child(named name: String) -> Any? { values[name] }

  mutating func set(_ name: String, _ text: String?) { values[name] = text }
  mutating func set(_ name: String, _ number: Int) { values[name] = String(number) }
  mutating func set(_ name: String, _ flag: Bool) { values[name] = flag }
  mutating func set(_ name: String, _ fields: PageFields?) { values[name] = fields }
  mutating func set(_ name: String, _ list: [PageFields]) { values[name] = list }
  mutating func set(_ name: String, _ list: [String]) {
    values[name] = list.map { text in PageFields { $0.set("text", text) } }
  }

  /// Sets the sentence of an error as `name`, and its technical text as `technical`.
  mutating func set(_ name: String, _ words: ErrorWords) {
    set(name, words.sentence)
    set("technical", words.details)
  }

  /// The variables without the named ones, in nested variables as well.
  func without(_ names: Set<String>) -> PageFields {
    PageFields { fields in
      for (name, value) in values where !names.contains(name) {
        fields.values[name] =
          switch value {
          case let nested as PageFields: nested.without(names)
          case let list as [PageFields]: list.map { $0.without(names) }
          default: value
          }
      }
    }
  }

  /// Writes the variables as a JSON object, ordered by name, so that equal variables have equal
  /// texts.
  func write(to json: inout JSONWriter) {
    json.object { json in
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        json.member(name) { json in
          switch value {
          case let nested as PageFields: nested.write(to: &json)
          case let list as [PageFields]:
            json.array { json in for each in list { each.write(to: &json) } }
          case let flag as Bool: json.value(flag)
          default: json.value(value as? String)
          }
        }
      }
    }
  }
}
