import Hummingbird
import OffersCore

/// The pages for people.
struct PageRoutes: Sendable {
  let content: ServedContent
  let answers: Answers

  func add(to router: Router<BasicRequestContext>) {
    router.get("/") { request, _ in
      try await answers.answer(request) {
        let offers = try await content.store.fetchOffers(OfferQuery(limit: 50))
        return .page(offers.map(\.ref.description).joined(separator: "\n"))
      }
    }
  }
}
