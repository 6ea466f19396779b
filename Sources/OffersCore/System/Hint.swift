import OffersPlatform

/// The next step that an error or a finding advises: a sentence, and the command that takes the step.
package struct Hint: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// The step in words that name no command, which an app and the web page show.
  package let text: String
  /// The command of the program or the system that takes the step, such as `offers doctor`, or the
  /// option of the called command, such as `--database FILE`; nil if there is none.
  package let command: String?

  package init(_ text: String, command: String? = nil) {
    self.text = text
    self.command = command
  }

  package init(stringLiteral value: String) { self.init(value) }

  /// The text and the command as the command line prints them: `Repair it: offers doctor --repair`.
  package var printed: String {
    guard let command else { return text }
    return (text.hasSuffix(".") ? text.dropLast() : text[...]) + ": " + command
  }

  /// The hint with its text and its command changed.
  package func map(_ change: (String) -> String) -> Hint {
    Hint(change(text), command: command.map(change))
  }
}

// MARK: Hints of several rooms

extension Hint {
  package static let allowPrivateNetwork = Hint(
    "Nothing was changed. If that is right, allow private networks.",
    command: "--allow-private-network")

  package static let allowOpenFiles = Hint(
    "Close files and other programs, or allow more open files.", command: "ulimit -n 4096")

  package static func chooseDatabase(_ text: String) -> Hint {
    Hint(text, command: "--database FILE")
  }

  /// The hint to change the permissions of files to a mode, as chmod(1) writes it.
  package static func changeMode(_ text: String, _ mode: String, _ paths: [String]) -> Hint {
    Hint(
      text, command: "chmod \(mode) " + paths.map(ShellQuoting.word).joined(separator: " "))
  }
}

extension OffersError {
  /// The error with `Hint.printed` as its hint.
  package var withCommands: OffersError {
    OffersError(code, message, hint: advice?.printed, cause: cause)
  }
}
