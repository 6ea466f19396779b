import Glibc
import OffersCore

/// Properties of the terminal, if there is one.
enum Terminal {
  /// Whether standard output goes to a terminal, directly or through a pager.
  static var isOutput: Bool {
    let context = ProcessContext.current
    return context.output == STDOUT_FILENO ? isStandardOutput : context.isTerminal
  }

  /// Whether messages, which are printed to standard error, go to a terminal.
  static var isError: Bool {
    let context = ProcessContext.current
    return context.errors == STDERR_FILENO ? isStandardError : context.isTerminal
  }

  private static let isStandardOutput = isatty(STDOUT_FILENO) == 1
  private static let isStandardError = isatty(STDERR_FILENO) == 1

  /// Whether a line on standard error can be erased and redrawn.
  static var canRedraw: Bool {
    isError && ProcessContext.variable("TERM") != "dumb"
  }

  /// The width in columns of the terminal to which the output goes, directly or through a pager;
  /// nil if it goes elsewhere, where text is not truncated.
  static var width: Int? {
    guard isOutput else { return nil }
    let output = ProcessContext.current.output
    return output == STDOUT_FILENO ? standardWidth : columns(of: output)
  }

  private static let standardWidth = columns(of: STDOUT_FILENO)

  /// The width in columns of the terminal at standard error; 80 if it is not known.
  static var errorWidth: Int { columns(of: ProcessContext.current.errors) }

  private static func columns(of descriptor: Int32) -> Int {
    if let columns = ProcessContext.variable("COLUMNS").flatMap({ Int($0) }), columns >= 20 {
      return min(columns, 10_000)
    }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return 80 }
    return Int(size.ws_col)
  }
}
