import OffersCore

extension Confirmation {
  /// Asks before something is removed.
  ///
  /// - Parameters:
  ///   - question: the question for the person.
  ///   - removal: the removal, such as `remove 12 offers`, for the error without a terminal.
  ///   - hint: the hint of that error.
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
