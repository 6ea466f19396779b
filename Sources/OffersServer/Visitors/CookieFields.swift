import HTTPTypes
import OffersCore

/// The cookies of a request.
enum CookieFields {
  /// The values of the cookies with a name, in their order. Another host of the domain can set a cookie
  /// of the same name, which a browser may send first.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of values.
  ///   - isValid: whether a text may be a value; others are left out.
  static func values(
    of name: String, in fields: HTTPFields, limit: Int, where isValid: (Substring) -> Bool
  ) -> [String] {
    var values: [String] = []
    for field in fields[values: .cookie] {
      for pair in field.split(scalar: ";") {
        let parts = pair.trimmingSpaces.split(
          scalar: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == name, isValid(parts[1]) {
          values.append(String(parts[1]))
          if values.count == limit { return values }
        }
      }
    }
    return values
  }
}
