/// A sequence of inputs of one format that a seed determines, and the test of their reader.
public struct FuzzRun {
  /// The results of the inputs.
  public struct Result: Sendable {
    public var inputs = 0
    public var accepted = 0
    public var slowestMilliseconds = 0.0
    public var slowestNumber = 0
  }

  /// The longest time that the test of an input, which has at most 64 KiB, may take, in seconds.
  public static let limitSeconds = 1.0

  private let inputs: FuzzInputs
  private let target: FuzzTarget

  public init(_ format: FuzzFormat, seed: UInt64) throws {
    inputs = FuzzInputs(format, seed: seed)
    target = try FuzzTarget(format)
  }

  /// Passes the inputs with these numbers to their reader, one after another.
  ///
  /// - Parameter before: called with the number of each input before the input is read, so that the
  ///   input of a crash is known.
  /// - Throws: `FuzzFailure` at the first input that violates a guarantee or takes longer than
  ///   `limitSeconds`; its description names the number.
  public func run(_ numbers: Range<Int>, before: (Int) -> Void = { _ in }) throws -> Result {
    var result = Result()
    for number in numbers {
      before(number)
      var (bytes, random) = inputs.input(number)
      let begun = ContinuousClock.now
      do {
        if try target.run(bytes, &random) { result.accepted += 1 }
      } catch let failure as FuzzFailure {
        throw FuzzFailure(description: "input \(number): \(failure)")
      }
      let seconds = (ContinuousClock.now - begun) / .seconds(1)
      result.inputs += 1
      if seconds * 1000 > result.slowestMilliseconds {
        result.slowestMilliseconds = seconds * 1000
        result.slowestNumber = number
      }
      if seconds > Self.limitSeconds {
        throw FuzzFailure(description: "input \(number) took \(seconds) s")
      }
      bytes = []
    }
    return result
  }

  /// Returns the input with a number.
  public func input(_ number: Int) -> [UInt8] { inputs.input(number).bytes }
}
