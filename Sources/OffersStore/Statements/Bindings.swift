/// The parameters of a statement, numbered as they are added.
package struct Bindings: Sendable {
  package private(set) var values: [SQLValue]

  package init(_ values: [SQLValue] = []) { self.values = values }

  /// Adds a parameter and returns its name in SQL.
  package mutating func add(_ value: SQLValue) -> String {
    values.append(value)
    return "$\(values.count)"
  }

  /// Adds the maximum number of rows, nil for all, and returns the `LIMIT` clause. A negative number is none.
  package mutating func addLimit(_ count: Int?) -> String {
    count.map { "LIMIT \(add(.count(max(0, $0))))" } ?? ""
  }
}
