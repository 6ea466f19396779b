import Foundation
import OffersCore

/// A value that is bound to a parameter of a statement. A missing value keeps its type, which PostgreSQL
/// needs to know.
package enum SQLValue: Sendable {
  case number(Int64?)
  case real(Double?)
  case flag(Bool?)
  case text(String?)
  case bytes([UInt8]?)
  /// A list in one parameter, for `Dialect.isElement(_:of:)` and `Dialect.table(_:as:first:)`.
  case numbers([Int64?])
  /// A list in one parameter, for `Dialect.isElement(_:of:)` and `Dialect.table(_:as:first:)`.
  case texts([String?])
  /// Lists of the same length in one parameter, which SQLite takes apart.
  indirect case rows([SQLValue])

  /// A time, stored in Unix seconds.
  package static func date(_ date: Date?) -> SQLValue { .number(date?.storedSeconds) }

  /// A count or a size.
  package static func count(_ count: Int) -> SQLValue { .number(Int64(count)) }

  /// Whether this has a text that a store cannot hold, because it has U+0000.
  package var isUnstorable: Bool {
    switch self {
    case .text(let text): text?.utf8.contains(0) ?? false
    case .texts(let texts): texts.contains { $0?.utf8.contains(0) ?? false }
    case .rows(let columns): columns.contains(where: \.isUnstorable)
    case .number, .real, .flag, .bytes, .numbers: false
    }
  }
}

/// Lists as JSON, which SQLite takes apart.
extension SQLValue {
  /// The elements of a list, `["ibotta","facts"]`, or rows: `[["ibotta",1],["facts",2]]`.
  package var jsonList: String {
    var json = JSONWriter()
    json.array { json in for index in 0..<elementCount { append(index, to: &json) } }
    return json.text
  }

  private var elementCount: Int {
    switch self {
    case .numbers(let numbers): numbers.count
    case .texts(let texts): texts.count
    case .rows(let columns): columns.first?.elementCount ?? 0
    case .number, .real, .flag, .text, .bytes: 0
    }
  }

  private func append(_ index: Int, to json: inout JSONWriter) {
    switch self {
    case .numbers(let numbers): json.value(numbers[index])
    case .texts(let texts): json.value(texts[index])
    case .rows(let columns):
      json.array { json in for column in columns { column.append(index, to: &json) } }
    case .number, .real, .flag, .text, .bytes: break
    }
  }
}
