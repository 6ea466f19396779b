import HTTPTypes
import Hummingbird

extension Response {
  /// A page that the browser does not store.
  ///
  /// - Parameter headers: further header fields.
  static func page(
    _ html: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) -> Response {
    var headers = headers
    headers[.contentType] = "text/html; charset=utf-8"
    headers[.cacheControl] = "no-store"
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
  }

  /// A redirection by 303, after which the browser sends GET.
  ///
  /// - Parameters:
  ///   - path: a path of this server.
  ///   - cookies: the `Set-Cookie` fields.
  static func seeOther(_ path: String, cookies: [String] = []) -> Response {
    var headers: HTTPFields = [.location: path, .cacheControl: "no-store"]
    headers[values: .setCookie] = cookies
    return Response(status: .seeOther, headers: headers)
  }
}
