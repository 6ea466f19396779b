import Foundation
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

  /// Lists choices with their numbers on standard error, and reads the number of one; nil for any other answer.
  static func choose(among choices: [String]) -> Int? {
    for (index, choice) in choices.enumerated() {
      Output.note(.line("  \(index + 1)  \(DisplayText.oneLine(choice))"))
    }
    Output.prompt(.line("Which one? [1-\(choices.count)] "))
    guard let answer = ProcessContext.readLine() else {
      Output.note("")
      return nil
    }
    return Int(answer.trimmingCharacters(in: .whitespaces)).map { $0 - 1 }
  }
}

/// Reads a secret from the terminal without showing it, or from standard input.
enum PassphrasePrompt {
  /// Reads a new passphrase: twice from a terminal, else the first line of standard input.
  static func readNew(of name: String) throws -> String {
    guard isatty(ProcessContext.current.input) == 1 else {
      return try require(ProcessContext.readLine())
    }
    let first = try require(ask("New passphrase of \(name): "))
    guard try require(ask("The same again: ")) == first else {
      throw OffersError(.invalidRequest, "The two passphrases differ. Nothing was changed.")
    }
    return first
  }

  private static func require(_ text: String?) throws -> String {
    guard let text, !text.isEmpty else {
      throw OffersError(
        .invalidRequest, "No passphrase was given. Nothing was changed.",
        hint: "Type it on a terminal, or give it as one line on standard input.")
    }
    return text
  }

  /// Asks on standard error, and reads a line that the terminal does not show.
  private static func ask(_ question: String) -> String? {
    Output.prompt(.line(question))
    let input = ProcessContext.current.input
    var shown = termios()
    guard tcgetattr(input, &shown) == 0 else { return ProcessContext.readLine() }
    let show = { @Sendable [shown] in
      var shown = shown
      tcsetattr(input, TCSAFLUSH, &shown)
      Output.note("")
    }
    // Control-C ends the program at once.
    let watch = InterruptionWatch(show)
    defer { withExtendedLifetime(watch) { show() } }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // A program that these keys stop or end would leave the terminal without echo.
    for key in [VSUSP, VQUIT] {
      withUnsafeMutableBytes(of: &hidden.c_cc) { $0[Int(key)] = 0 }
    }
    tcsetattr(input, TCSAFLUSH, &hidden)
    return ProcessContext.readLine()
  }
}

extension Confirmation {
  /// Asks before something is removed.
  ///
  /// - Throws: `ExitStatus.failed` if the person declines; `OffersError` with `invalidRequest` if there
  ///   is no terminal to ask.
  static func require(_ question: String, to removal: String, hint: String) throws {
    guard isPossible else {
      throw OffersError(
        .invalidRequest, "There is no terminal to ask whether to \(removal).", hint: hint)
    }
    guard ask(question) else {
      Output.note("Nothing was removed.")
      throw ExitStatus.failed
    }
  }
}
