import Hummingbird
import OffersCore

extension RequestBody {
  /// Reads the whole body of a request.
  ///
  /// - Throws: `Problem` with status 413 for a body over `RequestValidation.bodyBytes`, with 400 for one
  ///   that the HTTP parser rejects. Both close the connection.
  static func read(_ request: Request) async throws -> ByteBuffer {
    var whole = ByteBuffer()
    do {
      for try await part in request.body {
        guard whole.readableBytes + part.readableBytes <= RequestValidation.bodyBytes else {
          throw RequestValidation.closing(RequestValidation.tooLarge)
        }
        whole.writeImmutableBuffer(part)
      }
    } catch let error as Problem {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw RequestValidation.closing(Problem(.badRequest, "The body is not well-formed."))
    }
    return whole
  }
}
