import ArgumentParser
import Foundation

/// The option that sets whether a command prints colors.
struct ColorOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Whether to print colors: auto does on a terminal, unless $NO_COLOR is set or $TERM is dumb.",
      valueName: "when"))
  var color = Style.Mode.auto

  /// The style of standard output.
  var style: Style {
    let environment = ProcessContext.environment
    return Style(color, isTerminal: Terminal.isOutput) { environment[$0] }
  }
}

/// The options of a command whose text may be longer than the screen.
struct PagerOptions: ParsableArguments {
  @OptionGroup var terminal: ColorOptions

  @Flag(name: .long, help: "Do not show long output page by page.")
  var noPager = false

  /// Runs a closure that prints a long text. On a terminal the text goes through a pager, unless
  /// the user wants none or none can be started.
  ///
  /// - Throws: `ExitCode.success` if the user left the pager before all was printed, `ExitCode`
  ///   with 1 if the pager failed; otherwise as `print`.
  func show(_ print: () async throws -> Void) async throws {
    let environment = ProcessContext.environment
    guard Terminal.isOutput, ProcessContext.current.isProcess, !noPager,
      let pager = Pager({ environment[$0] })
    else {
      return try await print()
    }
    do {
      try await print()
    } catch is ReaderGone {
      try Self.check(pager.finish())
      // Leaving the pager early is no failure, but ends the command.
      throw ExitCode.success
    } catch {
      // The error is reported after the pager has ended.
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
