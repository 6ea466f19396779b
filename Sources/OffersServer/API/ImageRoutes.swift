import Hummingbird
import OffersCore

/// The images of offers, from the cache, else from their servers.
struct ImageRoutes: Sendable {
  let content: ServedContent
  let answers: Answers

  /// How long an image is given without asking the cache, which thereby learns that it is used.
  private static let rememberedSeconds = 60.0

  func add(to router: Router<BasicRequestContext>) {
    router.get("/api/v1/images/{ref}") { request, context in
      // It only tells one image of an offer from the next, to those who keep them.
      _ = try QueryParameters(request, ["v"])
      return try await answers.answer(request) {
        let offer = try await content.store.fetchOffer(named: try context.segment("ref"))
        let image = try await image(of: offer)
        var answer = Answer(
          contentType: image.header.format.contentType, body: ByteBuffer(bytes: image.bytes))
        answer.cacheControl = "private, max-age=86400"
        let fresh = image.freshUntil.timeIntervalSince(content.now())
        answer.lifetime = .seconds(max(0, min(Self.rememberedSeconds, fresh)))
        return answer
      }
    }
  }

  private func image(of offer: Offer) async throws -> CachedImage {
    guard let url = offer.imageURL else {
      throw OffersError(.notFound, "\(offer.ref) has no image.")
    }
    let source = try await content.store.findSource(of: offer.ref.feed)
    do {
      return try await content.images.image(at: url, feedSource: source)
    } catch let error as OffersError where error.code != .storageFailed {
      // The offer is there; who has the image does not give it.
      let isLate = error.code == .limitExceeded && error.message.contains("longer than")
      throw Problem(
        isLate ? .gatewayTimeout : .badGateway, error.message, hint: error.hint, code: error.code)
    }
  }
}
