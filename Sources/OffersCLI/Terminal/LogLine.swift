import Foundation
import Logging
import OffersCore

/// A line of the log: a message with its level and named values.
struct LogLine {
  let level: Logger.Level
  let message: String
  /// The values, in their order.
  let values: [(name: String, value: String)]
  var time = Date()

  init(_ level: Logger.Level, _ message: String, _ values: [(String, String)] = []) {
    self.level = level
    self.message = message
    self.values = values
  }

  /// A JSON object. Its time is in UTC.
  var json: String {
    JSONWriter.document { json in
      json.member("time", time)
      json.member("level", level.rawValue)
      json.member("message", message)
      for (name, value) in values { json.member(name, value) }
    }
  }

  /// `time level message name=value …`, in the local time zone.
  var text: String {
    DisplayText.oneLine("\(Units.exactTime(time)) \(level.rawValue) \(untimed)")
  }

  /// `message name=value …`. A value with a space is in quotation marks.
  var untimed: String {
    message + values.map { " \($0)=\($1.contains(" ") ? "“\($1)”" : $1)" }.joined()
  }
}
