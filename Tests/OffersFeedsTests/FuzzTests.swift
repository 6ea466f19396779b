import OffersFuzzing
import Testing

@Suite("Broken documents of every format")
struct FuzzTests {
  @Test(
    "are read or refused, never worse, and in pieces as in one", arguments: FuzzFormat.allCases)
  func survives(format: FuzzFormat) throws {
    let result = try FuzzRun(format, seed: 2026).run(0..<400)
    #expect(result.inputs == 400)
    // Were none accepted, or all, the inputs would not try much.
    if format != .value { #expect(result.accepted < 400) }
    #expect(result.accepted > 0)
  }

  @Test("are the same for the same seed")
  func repeats() throws {
    let first = try FuzzRun(.json, seed: 7)
    let second = try FuzzRun(.json, seed: 7)
    #expect((0..<50).map(first.input) == (0..<50).map(second.input))
    #expect(try FuzzRun(.json, seed: 8).input(1) != first.input(1))
  }
}
