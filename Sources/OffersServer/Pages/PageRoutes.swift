import Hummingbird
import OffersCore

/// The pages for people.
struct PageRoutes: Sendable {
  let content: ServedContent

  func add(to router: Router<BasicRequestContext>) {
    router.get("/") { _, _ in
      let offers = try await content.store.fetchOffers(OfferQuery(limit: 50))
      return Response(
        status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
        body: ResponseBody(
          byteBuffer: ByteBuffer(string: offers.map(\.name).joined(separator: "\n"))))
    }
  }
}
