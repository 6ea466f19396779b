/// The parameters of a statement, numbered as they are added.
struct Bindings {
  private(set) var parameters: [Parameter]

  init(_ parameters: [Parameter] = []) { self.parameters = parameters }

  /// Adds a parameter and returns its name in SQL.
  mutating func add(_ parameter: Parameter) -> String {
    parameters.append(parameter)
    return "$\(parameters.count)"
  }
}
