import Hummingbird

/// The fields of a form or of a query, as browsers write them
/// (https://url.spec.whatwg.org/#application/x-www-form-urlencoded).
enum FieldList {
  /// The fields by name, the last one of a name; those that are no percent code are left out.
  static func parse(_ text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for (name, value) in pairs(text) {
      if let name, let value { fields[name] = value }
    }
    return fields
  }

  /// The fields in their order; nil for what is no percent code.
  static func pairs(_ text: String) -> [(name: String?, value: String?)] {
    text.split(separator: "&").map { pair in
      let end = pair.firstIndex(of: "=") ?? pair.endIndex
      return (
        PercentCode.decode(pair[..<end], isForm: true),
        PercentCode.decode(pair[end...].dropFirst(), isForm: true)
      )
    }
  }

  /// The fields of a form that was sent.
  static func read(_ request: Request) async throws -> [String: String] {
    parse(String(buffer: try await RequestBody.read(request)))
  }
}

extension RequestBody {
  /// The whole body of a request.
  ///
  /// - Throws: `Problem` for one that is too large or not well-formed.
  static func read(_ request: Request) async throws -> ByteBuffer {
    var whole = ByteBuffer()
    do {
      for try await part in request.body {
        guard whole.readableBytes + part.readableBytes <= RequestShape.bodyBytes else {
          throw RequestShape.closing(RequestShape.tooLarge)
        }
        whole.writeImmutableBuffer(part)
      }
    } catch let error as Problem {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw RequestShape.closing(Problem(.badRequest, "The body is not well-formed."))
    }
    return whole
  }
}
