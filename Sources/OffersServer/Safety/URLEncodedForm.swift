import Hummingbird
import OffersCore

/// A parser of form data and queries in the format application/x-www-form-urlencoded
/// (https://url.spec.whatwg.org/#application/x-www-form-urlencoded).
enum URLEncodedForm {
  /// The maximum size of a field's name in bytes. No form of this server has a longer one, and a
  /// dictionary normalizes its keys, in time that grows with the square of their combining marks.
  private static let nameBytes = 64

  /// The fields by name. The last field of a name counts; fields with invalid percent-encoding and those
  /// with long names are left out.
  static func parse(_ text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for (name, value) in pairs(text) {
      if let name, let value, name.utf8.count <= nameBytes { fields[name] = value }
    }
    return fields
  }

  /// The fields in their order, with nil for a name or value with invalid percent-encoding.
  static func pairs(_ text: String) -> [(name: String?, value: String?)] {
    text.split(scalar: "&").map { pair in
      let end = pair.firstIndex(of: "=") ?? pair.endIndex
      return (
        PercentCode.decode(pair[..<end], isForm: true),
        PercentCode.decode(pair[end...].dropFirst(), isForm: true)
      )
    }
  }

  /// Reads the body of a request as form data.
  ///
  /// - Throws: `Problem` for a body that is too large or malformed.
  static func read(_ request: Request) async throws -> [String: String] {
    parse(String(buffer: try await RequestBody.read(request)))
  }
}
