import OffersFuzzing
import Testing

@Suite("Corrupted documents of every format")
struct FuzzTests {
  @Test(
    "they are read or refused without a violation, in any chunks", arguments: FuzzFormat.allCases)
  func survives(format: FuzzFormat) throws {
    let result = try FuzzRun(format, seed: 2026).run(0..<400)
    #expect(result.inputs == 400)
    // Inputs that are all accepted or all refused would not cover much.
    if format != .value { #expect(result.accepted < 400) }
    #expect(result.accepted > 0)
  }

  @Test("the same seed gives the same inputs")
  func repeats() throws {
    let first = try FuzzRun(.json, seed: 7)
    let second = try FuzzRun(.json, seed: 7)
    #expect((0..<50).map(first.input) == (0..<50).map(second.input))
    #expect(try FuzzRun(.json, seed: 8).input(1) != first.input(1))
  }
}
