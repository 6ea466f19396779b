import ChildProcesses
import Foundation
import OffersCore
import OffersTestSupport

/// A server in a process of its own, on a free port. The process is killed when the test ends, even
/// if the test fails.
final class Serving: Sendable {
  let process: ChildProcess
  let port: Int
  let errors: FileHandle
  /// The lines that the server had printed to standard error when it began to listen; at least one.
  let greeting: String

  init(_ home: Home, _ arguments: String...) throws {
    let pipe = Pipe()
    process = try OffersProgram.start(
      ["serve", "--port", "0"] + arguments, environment: home.environment,
      errors: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    errors = pipe.fileHandleForReading
    var text = ""
    while !text.contains("\n") {
      let piece = errors.availableData
      if piece.isEmpty { throw Home.Unexpected("it did not begin: \(text)") }
      text += String(decoding: piece, as: UTF8.self)
    }
    let line = text.prefix { $0 != "\n" }
    let digits = line.split(separator: ":").last?.prefix { $0.isNumber } ?? ""
    guard let port = Int(digits) else { throw Home.Unexpected("no port: \(text)") }
    self.port = port
    greeting = text
  }

  // An ended child that nobody waits for keeps Swift Testing from learning that an exit test has ended.
  deinit {
    process.send(SIGKILL)
    process.wait()
  }

  func end(_ signal: Int32 = SIGTERM) -> Int32 {
    process.send(signal)
    return process.wait()
  }
}
