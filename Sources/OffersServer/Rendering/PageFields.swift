import Mustache

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
}
