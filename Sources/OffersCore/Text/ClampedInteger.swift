/// Arithmetic on numbers that were read or stored, which may be any: a result that the type does not
/// have becomes the nearest that it has.
extension FixedWidthInteger where Self: SignedInteger {
  /// The nearest integer below the number or at it; 0 for a number that is none.
  package init(clamped number: Double) {
    if number.isNaN {
      self = 0
    } else if number >= Double(Self.max) {
      self = .max
    } else {
      self = number <= Double(Self.min) ? .min : Self(number.rounded(.down))
    }
  }

  package func adding(clamped other: Self) -> Self {
    let (sum, isOver) = addingReportingOverflow(other)
    if !isOver { return sum }
    return other < 0 ? .min : .max
  }

  package func subtracting(clamped other: Self) -> Self {
    let (difference, isOver) = subtractingReportingOverflow(other)
    if !isOver { return difference }
    return other < 0 ? .max : .min
  }

  package func multiplied(clamped other: Self) -> Self {
    let (product, isOver) = multipliedReportingOverflow(by: other)
    if !isOver { return product }
    return (self < 0) == (other < 0) ? .max : .min
  }
}

extension Duration {
  /// A wait of a number of seconds: none for a negative number and for one that is none, at most a week.
  package static func wait(seconds: Double) -> Duration {
    .seconds(seconds.isNaN ? 0 : min(max(0, seconds), 604_800))
  }
}
