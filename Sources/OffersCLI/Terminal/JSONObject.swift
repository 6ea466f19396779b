import Foundation
import OffersCore

/// A value in a JSON document that a command prints.
protocol JSONValue {
  func write(to json: inout JSONWriter)
}

extension String: JSONValue { func write(to json: inout JSONWriter) { json.value(self) } }
extension Int: JSONValue { func write(to json: inout JSONWriter) { json.value(self) } }
extension Bool: JSONValue { func write(to json: inout JSONWriter) { json.value(self) } }
extension Date: JSONValue { func write(to json: inout JSONWriter) { json.value(self) } }
extension Int64: JSONValue { func write(to json: inout JSONWriter) { json.value(self) } }

extension Array: JSONValue where Element: JSONValue {
  func write(to json: inout JSONWriter) {
    json.array { json in
      for element in self { element.write(to: &json) }
    }
  }
}

/// A value that other code writes, such as an offer.
struct WrittenJSON: JSONValue {
  private let write: (inout JSONWriter) -> Void

  init(_ write: @escaping (inout JSONWriter) -> Void) { self.write = write }

  func write(to json: inout JSONWriter) { write(&json) }
}

/// A JSON object with its members in their order. Nil is null.
struct JSONObject: JSONValue, ExpressibleByDictionaryLiteral {
  private var members: [(inout JSONWriter) -> Void]

  init(dictionaryLiteral members: (String, (any JSONValue)?)...) {
    self.members = members.map { name, value in
      { json in
        json.member(name) { if let value { value.write(to: &$0) } else { $0.null() } }
      }
    }
  }

  /// The members that other code writes.
  init(members write: @escaping (inout JSONWriter) -> Void) { members = [write] }

  static func += (object: inout JSONObject, more: JSONObject) { object.members += more.members }

  static func + (object: JSONObject, more: JSONObject) -> JSONObject {
    var all = object
    all.members += more.members
    return all
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      for member in members { member(&json) }
    }
  }

  var text: String { PrintedText.json(self).plain }
}

/// A printer of a JSON document that begins with a list, and holds one page of it in memory at a time.
///
/// It prints nothing before the first page, so that a refused command prints no partial document.
struct PagedJSON {
  private let start: String
  private let pricedFeeds: Set<String>
  private var isFirst = true

  init(_ name: String, pricedFeeds: Set<String>) {
    start = "{\"\(name)\":["
    self.pricedFeeds = pricedFeeds
  }

  mutating func print<Element>(
    _ page: [Element], _ write: (inout JSONWriter, Element) -> Void
  ) throws {
    var text = ""
    for element in page {
      text += isFirst ? start : ","
      isFirst = false
      text += PrintedText.json(pricedFeeds: pricedFeeds) { write(&$0, element) }.plain
    }
    try Output.printData(text, terminator: "")
  }

  /// Prints the end of the document, after its beginning if no element was printed.
  func finish(_ members: JSONObject = [:]) throws {
    let rest = members.text.dropFirst()
    try Output.printData((isFirst ? start : "") + "]" + (rest == "}" ? "" : ",") + rest)
  }
}
