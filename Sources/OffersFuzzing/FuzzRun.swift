/// A number of inputs of one format, one after another.
public struct FuzzRun {
  /// What the inputs came to.
  public struct Result: Sendable {
    public var inputs = 0
    public var accepted = 0
    public var slowestMilliseconds = 0.0
    public var slowestNumber = 0
  }

  /// A reader may take this long over an input of at most 64 KiB, in seconds.
  public static let limitSeconds = 1.0

  private let inputs: FuzzInputs
  private let target: FuzzTarget

  public init(_ format: FuzzFormat, seed: UInt64) throws {
    inputs = FuzzInputs(format, seed: seed)
    target = try FuzzTarget(format)
  }

  /// Gives the inputs with these numbers to their reader.
  ///
  /// - Parameter before: called with each number first, so that a crash can be told.
  /// - Throws: `FuzzFailure`, naming the number.
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

  /// The input with a number, to look at.
  public func input(_ number: Int) -> [UInt8] { inputs.input(number).bytes }
}
