import Foundation
import GRDB
import OffersCore

/// Reads of values that are of any type.
///
/// The subscripts of GRDB end the program at a value that is not of the type that is asked for: NULL
/// or text in a damaged or forged file, or a sum that became a real number because it exceeds an
/// integer. These take precedence over them, and return the nearest value of the type: 0, or an empty
/// text, for one that has none. The check `integrity` of the file reports such values.
///
/// An `Int`, as which counts and sizes are read, is moved to the nearest that is exact as a `Double`,
/// so that sums of them cannot overflow. An `Int64`, as which keys and times are read, may be any.
extension Row {
  private func value(_ column: String) -> DatabaseValue? {
    assert(hasColumn(column), "The query has no column \(column).")
    return self[column]
  }

  private func value(_ column: Int) -> DatabaseValue? { self[column] }

  subscript(_ column: String) -> Int64? { value(column)?.nearestInteger }
  subscript(_ column: Int) -> Int64? { value(column)?.nearestInteger }
  subscript(_ column: String) -> Int64 { self[column] ?? 0 }
  subscript(_ column: Int) -> Int64 { self[column] ?? 0 }

  subscript(_ column: String) -> Int? { (self[column] as Int64?).map(Self.count) }
  subscript(_ column: Int) -> Int? { (self[column] as Int64?).map(Self.count) }
  subscript(_ column: String) -> Int { self[column] ?? 0 }
  subscript(_ column: Int) -> Int { self[column] ?? 0 }

  private static func count(_ number: Int64) -> Int {
    let limit = Int64(1) << 53
    return Int(Swift.min(Swift.max(number, -limit), limit))
  }

  subscript(_ column: String) -> Bool { (self[column] as Int64) != 0 }
  subscript(_ column: Int) -> Bool { (self[column] as Int64) != 0 }

  subscript(_ column: String) -> Double? { value(column)?.nearestReal }
  subscript(_ column: Int) -> Double? { value(column)?.nearestReal }
  subscript(_ column: String) -> Double { self[column] ?? 0 }
  subscript(_ column: Int) -> Double { self[column] ?? 0 }

  subscript(_ column: String) -> String? { value(column)?.nearestText }
  subscript(_ column: Int) -> String? { value(column)?.nearestText }
  subscript(_ column: String) -> String { self[column] ?? "" }
  subscript(_ column: Int) -> String { self[column] ?? "" }

  subscript(_ column: String) -> Data? { value(column)?.nearestBytes }
  subscript(_ column: Int) -> Data? { value(column)?.nearestBytes }
  subscript(_ column: String) -> Data { self[column] ?? Data() }
  subscript(_ column: Int) -> Data { self[column] ?? Data() }
}

extension DatabaseValue {
  fileprivate var nearestInteger: Int64? {
    switch storage {
    case .int64(let number): number
    case .double(let number): Int64(clamped: number)
    case .string(let text): Int64(text) ?? 0
    case .blob: 0
    case .null: nil
    }
  }

  fileprivate var nearestReal: Double? {
    switch storage {
    case .int64(let number): Double(number)
    case .double(let number): number
    case .string(let text): Double(text) ?? 0
    case .blob: 0
    case .null: nil
    }
  }

  fileprivate var nearestText: String? {
    switch storage {
    case .int64(let number): String(number)
    case .double(let number): String(number)
    case .string(let text): text
    case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
    case .null: nil
    }
  }

  fileprivate var nearestBytes: Data? {
    switch storage {
    case .blob(let bytes): bytes
    case .null: nil
    case .int64, .double, .string: nearestText.map { Data($0.utf8) }
    }
  }
}
