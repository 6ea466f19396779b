import Glibc
import OffersCore

/// Properties of the terminal, if there is one.
enum Terminal {
  /// Whether standard output is a terminal, also if a pager reads it.
  static var isOutput: Bool {
    Output.streams.output == STDOUT_FILENO && isStandardOutput
  }

  /// Whether standard error is a terminal.
  static var isError: Bool {
    Output.streams.errors == STDERR_FILENO && isStandardError
  }

  private static let isStandardOutput = isatty(STDOUT_FILENO) == 1
  private static let isStandardError = isatty(STDERR_FILENO) == 1

  /// Whether a line on standard error can be erased and redrawn.
  static var canRedraw: Bool {
    isError && EnvironmentVariable.find("TERM") != "dumb"
  }

  /// The width of standard output in columns; nil if it is not a terminal, where text is not
  /// truncated. It is the terminal's width if a pager reads the output.
  static var width: Int? { isOutput ? standardWidth : nil }

  private static let standardWidth = columns(of: STDOUT_FILENO)

  /// The width of standard error in columns.
  static var errorWidth: Int { columns(of: STDERR_FILENO) }

  private static func columns(of descriptor: Int32) -> Int {
    if let columns = EnvironmentVariable.find("COLUMNS").flatMap({ Int($0) }), columns >= 20 {
      return min(columns, 10_000)
    }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return 80 }
    return Int(size.ws_col)
  }
}
