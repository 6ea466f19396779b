import Hummingbird
import OffersCore

/// The JSON API under `/api/v1`.
struct APIRoutes: Sendable {
  let content: ServedContent

  func add(to router: Router<BasicRequestContext>) {
    router.get("/api/v1/health") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody(
          byteBuffer: ByteBuffer(string: JSONWriter.document { $0.member("status", "ok") })))
    }
  }
}
