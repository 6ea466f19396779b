/// For each of several rules, the shapes of which a record must contain at least one so that the
/// rule may have a value, in flat memory. Most rules of a well-known vocabulary match nothing in
/// most records, and this table rejects them quickly.
final class RuleFilter {
  private let shapes: UnsafeMutablePointer<Int32>
  /// The index of each rule's first shape, followed by the index after the last shape.
  private let starts: UnsafeMutablePointer<Int>
  private let ruleCount: Int

  /// - Parameter rules: the shapes of each rule; nil for a rule that may have a value in any
  ///   record.
  init(_ rules: [[Int32]?]) {
    ruleCount = rules.count
    let all = rules.map { $0 ?? [-1] }
    shapes = .allocate(capacity: max(1, all.reduce(0) { $0 + $1.count }))
    starts = .allocate(capacity: all.count + 1)
    var place = 0
    for (rule, own) in all.enumerated() {
      starts[rule] = place
      for shape in own {
        shapes[place] = shape
        place += 1
      }
    }
    starts[all.count] = place
  }

  deinit {
    shapes.deallocate()
    starts.deallocate()
  }

  /// Whether a rule, given by its index, may have a value in a record.
  @inline(__always)
  func mayFind(_ rule: Int, in record: RecordTree) -> Bool {
    var place = starts[rule]
    let end = starts[rule + 1]
    while place < end {
      let shape = shapes[place]
      if shape < 0 || record.has(shape) { return true }
      place += 1
    }
    return false
  }
}
