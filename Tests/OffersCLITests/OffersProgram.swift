import ChildProcesses
import Foundation
import OffersTestSupport
import Testing

@testable import OffersCLI

/// Runs the built program `offers` as a child process.
struct OffersProgram: Sendable {
  /// The output and the exit status of a run.
  struct Result: Sendable {
    let output: String
    let errors: String
    /// The exit code, or the negated number of the signal.
    let status: Int32
  }

  /// `$OFFERS_PROGRAM`, such as the release program, else the one that the build puts beside the
  /// test bundle.
  static var path: String {
    if let path = ProcessInfo.processInfo.environment["OFFERS_PROGRAM"] { return path }
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    return folder.appendingPathComponent("offers").path
  }

  /// The environment of a run: that of the tests without the variables that affect the program, and
  /// with `extra` ones.
  static func environment(_ extra: [String: String]) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    for name in [
      "OFFERS_DATABASE", "OFFERS_CONFIG", "OFFERS_SECRETS", "OFFERS_USER", "XDG_CONFIG_HOME",
      "XDG_DATA_HOME",
      "COLUMNS", "NO_COLOR",
      "PAGER", "OFFERS_PAGER",
    ] { environment[name] = nil }
    return environment.merging(extra) { $1 }
  }

  /// Starts the program without waiting for it. A stream that is nil is /dev/null.
  static func start(
    _ arguments: [String], environment extra: [String: String] = [:], input: FileHandle? = nil,
    output: FileHandle? = nil, errors: FileHandle? = nil
  ) throws -> ChildProcess {
    try ChildProcess(
      [path] + arguments, environment: environment(extra), from: input, to: output, errors: errors)
  }

  /// Runs a command in the process of the tests, which takes a fraction of the time of a child process.
  ///
  /// - Parameters:
  ///   - isTerminal: whether the command prints as on a terminal.
  ///   - systemLog: the socket of the system's log; nil for none.
  static func call(
    _ arguments: [String], environment extra: [String: String] = [:], input text: String = "",
    isTerminal: Bool = false, systemLog: String? = nil
  ) async throws -> Result {
    let folder = try TemporaryFolder()
    let input = try FileHandle(
      forReadingFrom: URL(fileURLWithPath: try folder.write(text, to: "input")))
    let files = try ["output", "errors"].map { name in
      try FileHandle(forWritingTo: URL(fileURLWithPath: try folder.write("", to: name)))
    }
    let context = ProcessContext(
      input: input.fileDescriptor, output: files[0].fileDescriptor,
      errors: files[1].fileDescriptor, isTerminal: isTerminal, systemLog: systemLog,
      variables: environment(extra))
    let status = await ProcessContext.$current.withValue(context) {
      await OffersCommand.run(arguments: arguments)
    }
    for file in [input] + files { try file.close() }
    return Result(
      output: try folder.text(of: "output"), errors: try folder.text(of: "errors"), status: status)
  }

  /// Runs a command in the process of the tests, and expects its exit code, and that its messages have these
  /// texts.
  @discardableResult
  static func expect(
    _ arguments: [String], environment: [String: String], status: Int32 = 0,
    says texts: [String] = [], output: String? = nil, input: String = "",
    at place: SourceLocation = #_sourceLocation
  ) async throws -> Result {
    let result = try await call(arguments, environment: environment, input: input)
    let words: Comment = "\(arguments): \(result.errors)"
    #expect(result.status == status, words, sourceLocation: place)
    if let output { #expect(result.output == output, words, sourceLocation: place) }
    for text in texts { #expect(result.errors.contains(text), words, sourceLocation: place) }
    return result
  }

  /// Runs the program until it exits.
  static func run(
    _ arguments: [String], environment extra: [String: String] = [:], input: String? = nil
  ) throws -> Result {
    let folder = try TemporaryFolder()
    for name in ["output", "errors"] { try folder.write("", to: name) }
    try folder.write(input ?? "", to: "input")
    func handle(_ name: String, writing: Bool) throws -> FileHandle {
      let url = URL(fileURLWithPath: folder.file(name))
      return writing ? try FileHandle(forWritingTo: url) : try FileHandle(forReadingFrom: url)
    }
    let process = try start(
      arguments, environment: extra, input: try handle("input", writing: false),
      output: try handle("output", writing: true), errors: try handle("errors", writing: true))
    let status = process.wait()
    func text(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.file(name))), as: UTF8.self)
    }
    return Result(output: try text("output"), errors: try text("errors"), status: status)
  }
}

extension ChildProcess {
  /// Starts a program with these files as its standard streams; nil is /dev/null.
  ///
  /// - Parameter words: the path of the program, and its arguments.
  convenience init(
    _ words: [String], environment: [String: String]? = nil, folder: String? = nil,
    from input: FileHandle? = nil, to output: FileHandle?, errors: FileHandle? = nil
  ) throws {
    func stream(_ file: FileHandle?) -> Stream {
      file.map { .descriptor($0.fileDescriptor) } ?? .nothing
    }
    try self.init(
      words, environment: environment, folder: folder, input: stream(input),
      output: stream(output), errors: stream(errors))
    // Keeps the files alive: a released file handle closes its descriptor before the child has it.
    withExtendedLifetime((input, output, errors)) {}
  }
}
