import Foundation

/// Validates JSON against the subset of JSON Schema that openapi.json uses.
struct JSONSchema {
  /// The whole document, in which references are resolved.
  let document: [String: Any]

  /// The violations of a schema with their JSON paths; empty for a valid value.
  func faults(of value: Any, _ schema: [String: Any], at place: String = "$") -> [String] {
    if let reference = schema["$ref"] as? String {
      guard let target = find(reference) else { return ["\(place): no \(reference)"] }
      return faults(of: value, target, at: place)
    }
    if let choices = schema["anyOf"] as? [[String: Any]] {
      let all = choices.map { self.faults(of: value, $0, at: place) }
      return all.contains { $0.isEmpty } ? [] : all.first ?? []
    }
    var faults: [String] = []
    if let types = types(schema), !types.contains(where: { isType(value, $0) }) {
      faults.append("\(place): \(value) is no \(types.joined(separator: " or "))")
    }
    if let choices = schema["enum"] as? [Any], !choices.contains(where: { isSame($0, value) }) {
      faults.append("\(place): \(value) is none of \(choices)")
    }
    if let constant = schema["const"], !isSame(constant, value) {
      faults.append("\(place): \(value) is not \(constant)")
    }
    if schema["format"] as? String == "date-time", let text = value as? String,
      text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) == nil
    {
      faults.append("\(place): \(text) is no time")
    }
    if let object = value as? [String: Any] {
      faults += self.faults(ofObject: object, schema, place)
    }
    if let list = value as? [Any], let items = schema["items"] as? [String: Any] {
      for (index, item) in list.enumerated() {
        faults += self.faults(of: item, items, at: "\(place)[\(index)]")
      }
    }
    return faults
  }

  private func faults(
    ofObject object: [String: Any], _ schema: [String: Any], _ place: String
  ) -> [String] {
    let members = schema["properties"] as? [String: [String: Any]] ?? [:]
    var faults = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
      .map { "\(place): \($0) is missing" }
    for (name, value) in object {
      if let member = members[name] {
        faults += self.faults(of: value, member, at: "\(place).\(name)")
      } else if schema["additionalProperties"] as? Bool == false {
        faults.append("\(place): \(name) is not described")
      }
    }
    return faults
  }

  private func types(_ schema: [String: Any]) -> [String]? {
    (schema["type"] as? String).map { [$0] } ?? schema["type"] as? [String]
  }

  private func isType(_ value: Any, _ type: String) -> Bool {
    switch type {
    case "null": value is NSNull
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "boolean": isFlag(value)
    case "integer":
      (value as? NSNumber).map { !isFlag(value) && floor($0.doubleValue) == $0.doubleValue }
        ?? false
    case "number": value is NSNumber && !isFlag(value)
    default: false
    }
  }

  private func isFlag(_ value: Any) -> Bool {
    (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
  }

  private func isSame(_ left: Any, _ right: Any) -> Bool {
    if left is NSNull || right is NSNull { return left is NSNull && right is NSNull }
    return "\(left)" == "\(right)"
  }

  /// Resolves a reference such as `#/components/schemas/Offer`.
  func find(_ reference: String) -> [String: Any]? {
    var value: Any? = document
    for part in reference.split(separator: "/").dropFirst() {
      value = (value as? [String: Any])?[String(part)]
    }
    return value as? [String: Any]
  }
}
