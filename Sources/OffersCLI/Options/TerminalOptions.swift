import ArgumentParser
import Foundation

/// How a command shows its text on a terminal.
struct TerminalOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Whether to set words off in color: auto does on a terminal, unless $NO_COLOR is set or "
        + "$TERM is dumb.", valueName: "when"))
  var color = Style.Mode.auto

  /// The style of standard output.
  var style: Style {
    let environment = ProcessInfo.processInfo.environment
    return Style(color, isTerminal: Terminal.isOutput) { environment[$0] }
  }
}

/// The same for a command whose text may be longer than the screen.
struct PagedOptions: ParsableArguments {
  @OptionGroup var terminal: TerminalOptions

  @Flag(name: .long, help: "Do not show long output page by page.")
  var noPager = false

  /// Prints a text that may be long: on a terminal through a pager.
  func show(_ print: () async throws -> Void) async throws {
    let environment = ProcessInfo.processInfo.environment
    guard Terminal.isOutput, !noPager, let pager = Pager({ environment[$0] }) else {
      return try await print()
    }
    do {
      try await print()
    } catch is ReaderGone {
      try Self.check(pager.finish())
      // Whoever leaves the pager has seen enough: nothing has failed, and nothing more is done.
      throw ExitCode.success
    } catch {
      // An error is told when the pager is gone.
      _ = pager.finish()
      throw error
    }
    try Self.check(pager.finish())
  }

  private static func check(_ isShown: Bool) throws {
    if isShown { return }
    Output.error(Pager.failure)
    throw ExitStatus.failed
  }
}
