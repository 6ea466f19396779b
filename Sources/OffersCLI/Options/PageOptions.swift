import ArgumentParser
import OffersCore

/// The options that select a page of a list.
struct PageOptions: ParsableArguments {
  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("List at most this many offers.", valueName: "n"))
  var limit: Int?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "List this page, from 1, of --limit offers (\(Self.usualSize) by default).",
      valueName: "n"))
  var page: Int?

  /// The number of offers on a page if `--page` is given without `--limit`.
  private static let usualSize = 50

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    if let page, page < 1 { throw ValidationError("--page must be at least 1.") }
  }

  /// The number of the next page of a list, which has `total` offers and was printed up to `end`; nil for
  /// none.
  func next(after end: Int, of total: Int) -> Int? { end < total ? (page ?? 1) + 1 : nil }

  /// The number of offers to skip, and the largest number of offers; nil for all.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a page behind all numbers.
  func part() throws -> (offset: Int, limit: Int?) {
    guard let page else { return (0, limit) }
    let size = limit ?? Self.usualSize
    let (offset, isTooFar) = (page - 1).multipliedReportingOverflow(by: size)
    if isTooFar {
      throw OffersError(
        .invalidRequest, "There is no page \(page).", hint: "Pages are counted from 1.")
    }
    return (offset, size)
  }
}

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
