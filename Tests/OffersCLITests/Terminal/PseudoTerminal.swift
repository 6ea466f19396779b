import ChildProcesses
import Foundation
import OffersCore
import OffersTestSupport

/// Runs the program on a terminal of a given width, using `script` from util-linux.
enum PseudoTerminal {
  static var isPresent: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/script") }

  /// Returns the terminal's output with LF line ends.
  ///
  /// - Parameter variables: Environment variables that describe the terminal. By default it has
  ///   neither colors nor a pager.
  static func run(
    _ arguments: [String], in home: Home, columns: Int = 80, variables: [String: String] = [:]
  ) throws -> String {
    try result(arguments, in: home, columns: columns, variables: variables).text
  }

  /// Returns the terminal's output together with the exit code.
  ///
  /// - Parameters:
  ///   - typing: The keystrokes, which the terminal echoes.
  ///   - prompt: The text after which they are typed; nil to type at once.
  static func result(
    _ arguments: [String], in home: Home, columns: Int = 80, variables: [String: String] = [:],
    typing: String = "", after prompt: String? = nil
  ) throws -> (text: String, status: Int32) {
    let words = ([OffersProgram.path] + arguments).map {
      "'" + $0.replacing("'", with: #"'\''"#) + "'"
    }
    let command = "stty cols \(columns) rows 24; exec \(words.joined(separator: " "))"
    try home.folder.write("", to: "terminal")
    let environment = OffersProgram.environment(home.environment)
      .merging(["SHELL": "/bin/sh", "TERM": "xterm", "NO_COLOR": "1", "PAGER": ""]) { $1 }
      .merging(variables) { $1 }
    // The input stays open, so that the terminal receives no end of file.
    let input = Pipe()
    if prompt == nil { try input.fileHandleForWriting.write(contentsOf: Data(typing.utf8)) }
    let output = try FileHandle(
      forWritingTo: URL(fileURLWithPath: home.folder.file("terminal")))
    let process = try ChildProcess(
      ["/usr/bin/script", "--quiet", "--return", "--command", command, "/dev/null"],
      environment: environment, from: input.fileHandleForReading, to: output)
    if let prompt {
      let end = ContinuousClock.now + .seconds(20)
      while try !home.folder.text(of: "terminal").contains(prompt), .now < end { usleep(5000) }
      try input.fileHandleForWriting.write(contentsOf: Data(typing.utf8))
    }
    let status = process.wait()
    try input.fileHandleForWriting.close()
    return (try home.folder.text(of: "terminal").replacing("\r\n", with: "\n"), status)
  }
}
