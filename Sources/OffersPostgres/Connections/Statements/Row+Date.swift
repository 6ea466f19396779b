import Foundation
import OffersCore

/// Times are stored in Unix seconds.
extension Row {
  func findDate(_ column: Int) -> Date? {
    findNumber(column).map(Date.init(storedSeconds:))
  }

  func date(_ column: Int) -> Date { Date(storedSeconds: number(column)) }
}

extension Parameter {
  static func date(_ date: Date?) -> Parameter { .number(date?.storedSeconds) }
}
