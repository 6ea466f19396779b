import Hummingbird
import OffersCore

/// A parser of form data and queries in the format application/x-www-form-urlencoded
/// (https://url.spec.whatwg.org/#application/x-www-form-urlencoded).
enum FieldList {
  /// The fields by name. The last field of a name counts; fields with invalid percent-encoding are
  /// left out.
  static func parse(_ text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for (name, value) in pairs(text) {
      if let name, let value { fields[name] = value }
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

extension RequestBody {
  /// Reads the whole body of a request.
  ///
  /// - Throws: `Problem` with status 413 for a body over `RequestLimits.bodyBytes`, with 400 for one
  ///   that the HTTP parser rejects. Both close the connection.
  static func read(_ request: Request) async throws -> ByteBuffer {
    var whole = ByteBuffer()
    do {
      for try await part in request.body {
        guard whole.readableBytes + part.readableBytes <= RequestLimits.bodyBytes else {
          throw RequestLimits.closing(RequestLimits.tooLarge)
        }
        whole.writeImmutableBuffer(part)
      }
    } catch let error as Problem {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw RequestLimits.closing(Problem(.badRequest, "The body is not well-formed."))
    }
    return whole
  }
}
