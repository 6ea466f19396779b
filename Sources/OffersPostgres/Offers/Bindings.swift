/// The parameters of a statement, numbered as they are added.
struct Bindings {
  private(set) var parameters: [Parameter]

  init(_ parameters: [Parameter] = []) { self.parameters = parameters }

  /// Adds a parameter and returns its name in SQL.
  mutating func add(_ parameter: Parameter) -> String {
    parameters.append(parameter)
    return "$\(parameters.count)"
  }

  /// Adds the maximum number of rows, nil for all, and returns the `LIMIT` clause. A negative number is none.
  mutating func addLimit(_ count: Int?) -> String {
    "LIMIT \(add(.number(count.map { Int64(max(0, $0)) })))::bigint"
  }
}
