import Glibc
import OffersCore

/// A question that a person answers on the terminal before a command changes something.
enum Confirmation {
  /// Whether a person can be asked: input and messages are on a terminal.
  static var isPossible: Bool { isatty(ProcessContext.current.input) == 1 && Terminal.isError }

  /// Asks on standard error, and reads a line. Only `y` and `yes` confirm; the end of the input
  /// does not.
  static func ask(_ question: String) -> Bool {
    Output.prompt(.line(question + " [y/N] "))
    guard let answer = ProcessContext.readLine() else {
      Output.note("")
      return false
    }
    return ["y", "yes"].contains(answer.lowercased())
  }
}
