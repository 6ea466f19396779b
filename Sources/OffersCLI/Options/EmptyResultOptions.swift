import ArgumentParser

/// The option by which a script learns that nothing was found.
struct EmptyResultOptions: ParsableArguments {
  @Flag(name: .long, help: "Exit with 66 if nothing is found.")
  var exitStatus = false

  /// Ends a command that found nothing.
  ///
  /// - Throws: `ExitCode` with 66, if the option is given.
  func check(isEmpty: Bool) throws {
    if exitStatus, isEmpty { throw ExitStatus.notFound }
  }
}
