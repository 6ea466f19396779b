import Foundation
import Glibc
import OffersCore

/// The standard descriptors and the environment variables that a command uses.
///
/// They are those of the process, unless a caller, such as a test, runs a command with others. Then
/// several commands can run in one process at the same time. Such a command changes nothing of the
/// process: it installs no signal handlers and starts no pager.
struct ProcessContext: Sendable {
  var input = STDIN_FILENO
  var output = STDOUT_FILENO
  var errors = STDERR_FILENO
  /// Whether output and errors are printed as on a terminal, if they do not go to those of the process.
  var isTerminal = false
  /// Whether each message on standard error is a JSON document in a line of its own.
  var logsJSON = false
  /// The socket of the system's log; nil for none.
  var systemLog: String? = "/dev/log"
  /// The environment variables; nil for those of the process.
  var variables: [String: String]?

  /// The context of the current task. Work on a thread or a dispatch queue of its own has that of
  /// the process.
  @TaskLocal static var current = ProcessContext()

  /// Whether the descriptors are those of the process, which then runs this one command.
  var isProcess: Bool {
    input == STDIN_FILENO && output == STDOUT_FILENO && errors == STDERR_FILENO
  }

  static var environment: [String: String] {
    current.variables ?? ProcessInfo.processInfo.environment
  }

  static func variable(_ name: String) -> String? { current.value(of: name) }

  /// Finds environment variables of the current task's context, on any thread.
  static var findVariable: @Sendable (String) -> String? {
    let context = current
    return { context.value(of: $0) }
  }

  private func value(of name: String) -> String? {
    guard let variables else { return EnvironmentVariable.find(name) }
    return variables[name]
  }

  /// Reads a line of standard input without its end; nil at the end of the input.
  static func readLine() -> String? {
    let input = current.input
    if input == STDIN_FILENO { return Swift.readLine() }
    var line: [UInt8] = []
    var byte: UInt8 = 0
    // The rest of the input stays for the next line, so that bytes are read one at a time.
    while true {
      let count = read(input, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { break }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
