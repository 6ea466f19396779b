import Foundation

/// The built program `offers`, run as a process of its own.
public struct OffersProgram: Sendable {
  /// What a run printed and how it ended.
  public struct Result: Sendable {
    public let output: String
    public let errors: String
    /// The exit code, or the signal's number below zero.
    public let status: Int32
  }

  /// Stands beside the test bundle, where the build puts it.
  public static var path: String {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    return folder.appendingPathComponent("offers").path
  }

  /// The environment a run gets: no variable of the person's own that steers the program.
  public static func environment(_ extra: [String: String]) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    for name in [
      "OFFERS_DATABASE", "OFFERS_CONFIG", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "COLUMNS", "NO_COLOR",
      "PAGER", "OFFERS_PAGER",
    ] { environment[name] = nil }
    return environment.merging(extra) { $1 }
  }

  /// Starts the program without waiting for it.
  public static func start(
    _ arguments: [String], environment extra: [String: String] = [:], input: FileHandle? = nil,
    output: Any? = nil, errors: Any? = nil
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = environment(extra)
    process.standardInput = input ?? FileHandle.nullDevice
    process.standardOutput = output ?? FileHandle.nullDevice
    process.standardError = errors ?? FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Starts another program by its name, its output thrown away.
  public static func startTool(_ name: String, _ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Runs the program to its end.
  public static func run(
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
    process.waitUntilExit()
    func text(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.file(name))), as: UTF8.self)
    }
    let status = process.terminationStatus
    return Result(
      output: try text("output"), errors: try text("errors"),
      status: process.terminationReason == .uncaughtSignal ? -status : status)
  }
}
