import Foundation
import Mustache
import OffersCore

/// The Mustache templates of all pages, parsed once.
struct PageTemplates: Sendable {
  private let library: MustacheLibrary
  /// The templates that could not be parsed, with the reasons. A test checks that there are none.
  let unreadable: [String]

  /// The parsed templates, which all servers of a process share.
  static let shared = PageTemplates()

  private init() {
    MustacheContentTypes.register(PageEscaping(), named: PageEscaping.name)
    var library = MustacheLibrary()
    var unreadable: [String] = []
    for name in Self.names {
      let bytes = EmbeddedPageFiles.find("\(name).mustache") ?? []
      // Mustache resets the escaping at the start of each partial, so that every template sets it.
      let text = "{{% CONTENT_TYPE:\(PageEscaping.name)}}" + String(decoding: bytes, as: UTF8.self)
      do {
        try library.register(text, named: name)
      } catch {
        unreadable.append("\(name): \(error)")
      }
    }
    self.library = library
    self.unreadable = unreadable
  }

  func render(_ name: String, _ fields: PageFields) throws -> String {
    guard let text = library.render(fields, withTemplate: name) else {
      throw OffersError(.invalidRequest, "There is no page “\(name)”.")
    }
    return text
  }

  /// The templates of the pages that a browser makes while the server cannot be reached, as a JSON
  /// object of their texts by name.
  static var offline: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      for name in names where !serverOnly.contains(name) {
        json.member(
          name, String(decoding: EmbeddedPageFiles.find("\(name).mustache") ?? [], as: UTF8.self))
      }
    }
    return json.bytes
  }

  private static let serverOnly: Set<String> = [
    "account", "add-feed", "adding", "bare", "field-error", "identity", "login", "pair", "pairing",
    "notices", "passphrase", "proposal", "sessions", "settings-devices", "settings-feeds",
    "settings-people",
    "token", "tokens", "users", "watches", "welcome",
  ]

  private static let names = EmbeddedPageFiles.names.filter { $0.hasSuffix(".mustache") }
    .map { String($0.dropLast(".mustache".count)) }
}

/// The value of a variable of a template: a text, a number, a flag, a time, further variables, or a list of
/// texts or variables.
protocol PageValue: Sendable {
  /// The text, the flag, the variables or the list of variables that the template gets.
  var shown: any Sendable { get }
}

extension String: PageValue { var shown: any Sendable { self } }
extension Bool: PageValue { var shown: any Sendable { self } }
extension Int: PageValue { var shown: any Sendable { String(self) } }

extension Array: PageValue where Element: PageValue {
  var shown: any Sendable { map { $0 as? PageFields ?? ["text": $0] } }
}

extension Date: PageValue {
  /// `timeText`, for people, and `timeISO`, in ISO 8601.
  var shown: any Sendable {
    ["timeText": Units.time(self), "timeISO": ISOTime.text(storedSeconds)] as PageFields
  }
}

/// The variables of a template, by name. A section of a template is skipped for nil, false and an
/// empty list.
struct PageFields: MustacheParent, PageValue, ExpressibleByDictionaryLiteral {
  private var values: [String: any Sendable] = [:]

  init(_ fill: (inout PageFields) -> Void) {
    fill(&self)
  }

  init(dictionaryLiteral elements: (String, (any PageValue)?)...) {
    for (name, value) in elements { set(name, value) }
  }

  var shown: any Sendable { self }

  func child(named name: String) -> Any? { values[name] }

  mutating func set(_ name: String, _ value: (any PageValue)?) { values[name] = value?.shown }
  mutating func set(_ name: String, _ fields: PageFields?) { values[name] = fields }

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

  /// The variables with only the named ones of the variables in the list `list`, in nested variables as well.
  func keeping(_ names: Set<String>, ofEach list: String) -> PageFields {
    PageFields { fields in
      for (name, value) in values {
        fields.values[name] =
          switch value {
          case let all as [PageFields] where name == list:
            all.map { each in
              PageFields { $0.values = each.values.filter { names.contains($0.key) } }
            }
          case let all as [PageFields]: all.map { $0.keeping(names, ofEach: list) }
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

extension PageFields {
  init(option value: String, _ label: String, isChosen: Bool = false) {
    self = ["value": value, "label": label, "isChosen": isChosen]
  }

  init(chip label: String, _ link: String, isCurrent: Bool = false) {
    self = ["label": label, "link": link, "isCurrent": isCurrent]
  }
}

/// Escapes texts for HTML by bytes. Mustache's own escaping works on characters, and misses some.
struct PageEscaping: MustacheContentType {
  static let name = "PAGE"

  func escapeText(_ text: String) -> String { SafeText.html(text) }
}
