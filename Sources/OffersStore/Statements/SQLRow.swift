import Foundation
import OffersCore

/// A row of a result, valid as long as the call that it is passed to. Its columns are numbered from 0.
package protocol SQLRow {
  /// An integer; nil for NULL.
  func findNumber(_ column: Int) -> Int64?
  /// A floating-point number; nil for NULL.
  func findReal(_ column: Int) -> Double?
  /// A text; nil for NULL.
  func findText(_ column: Int) -> String?
  /// The UTF-8 of a text, valid as long as the row; nil for NULL.
  func findUTF8(_ column: Int) -> UnsafeRawBufferPointer?
  /// Bytes; nil for NULL.
  func findBlob(_ column: Int) -> [UInt8]?
  /// A truth value; false for NULL.
  func flag(_ column: Int) -> Bool
}

/// NULL in a column that never has one, as in a damaged file, is read as 0 or as an empty text.
extension SQLRow {
  package func number(_ column: Int) -> Int64 { findNumber(column) ?? 0 }
  package func text(_ column: Int) -> String { findText(column) ?? "" }
  package func blob(_ column: Int) -> [UInt8] { findBlob(column) ?? [] }

  /// A count or a size, moved to the nearest number that is exact as a `Double`, so that sums of stored
  /// ones cannot overflow.
  package func count(_ column: Int) -> Int {
    let limit = Int64(1) << 53
    return Int(min(max(number(column), -limit), limit))
  }

  /// A time, stored in Unix seconds; nil for NULL.
  package func findDate(_ column: Int) -> Date? {
    findNumber(column).map(Date.init(storedSeconds:))
  }

  package func date(_ column: Int) -> Date { Date(storedSeconds: number(column)) }
}
