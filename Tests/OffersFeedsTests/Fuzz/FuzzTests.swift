import Foundation
import OffersTestSupport
import Testing

/// Each reader gets a few hundred corrupted inputs; `Scripts/fuzz` sets the variables for more.
@Suite("Corrupted documents of every format")
struct FuzzTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = number("OFFERS_FUZZ_INPUTS") ?? 400
  private static let first = number("OFFERS_FUZZ_FIRST") ?? 0
  private static let seed = UInt64(number("OFFERS_FUZZ_SEED") ?? 2026)
  /// The longest time that the reading of an input, which has at most 64 KiB, may take, in seconds.
  private static let limitSeconds = 1.0

  private static func number(_ name: String) -> Int? { environment[name].flatMap(Int.init) }

  @Test(
    "they are read or refused without a violation, in any chunks", arguments: FuzzFormat.allCases)
  func survives(format: FuzzFormat) throws {
    let inputs = FuzzInputs(format, seed: Self.seed)
    let target = try FuzzTarget(format)
    let log = try InputLog(format)
    var accepted = 0
    for number in Self.first..<Self.first + Self.count {
      log?.note(number)
      var (bytes, random) = inputs.input(number)
      let begun = ContinuousClock.now
      do {
        if try target.run(bytes, &random) { accepted += 1 }
      } catch let failure as FuzzFailure {
        Issue.record("input \(number) of seed \(Self.seed): \(failure)")
      }
      let seconds = (ContinuousClock.now - begun) / .seconds(1)
      #expect(seconds <= Self.limitSeconds, "input \(number) of seed \(Self.seed)")
    }
    guard Self.count >= 400 else { return }
    // Inputs that are all accepted or all refused would not cover much.
    if format != .value { #expect(accepted < Self.count) }
    #expect(accepted > 0)
  }
}

/// The file that names the current input of a format, in case the process crashes on it.
private struct InputLog {
  private let file: FileHandle

  /// Nil if no folder is set.
  init?(_ format: FuzzFormat) throws {
    guard let folder = ProcessInfo.processInfo.environment["OFFERS_FUZZ_LOG"] else { return nil }
    let path = folder + "/" + format.rawValue
    try Data().write(to: URL(filePath: path))
    file = try FileHandle(forWritingTo: URL(filePath: path))
  }

  func note(_ number: Int) {
    // A number that is not noted is missing only for a person who looks into a crash.
    try? file.seek(toOffset: 0)
    try? file.write(contentsOf: Data("\(number)\n".utf8))
  }
}
