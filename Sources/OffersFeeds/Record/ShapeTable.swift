/// For each of some rules the shapes its values may have, in flat memory: most rules of a
/// well-known vocabulary have nothing in most records, and are passed over by a look at these.
final class ShapeTable {
  private let shapes: UnsafeMutablePointer<Int32>
  /// Where the shapes of each rule begin, and behind the last rule where they end.
  private let starts: UnsafeMutablePointer<Int>
  private let ruleCount: Int

  /// - Parameter rules: for each rule its shapes; nil for one that may have a value whatever the
  ///   record holds.
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

  /// Whether a rule may find something in a record.
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
