import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

extension Date {
  /// A time in Unix seconds.
  static func at(_ seconds: Int) -> Date { Date(timeIntervalSince1970: Double(seconds)) }
}

extension Reward {
  /// An amount of US dollars, printed as `$` and the cents unless there is a text.
  static func dollars(_ cents: Int64, _ text: String? = nil, upTo: Bool = false) -> Reward {
    Reward(
      text: text ?? "$\(cents)", value: .amount(minorUnits: cents, currency: "USD"), isUpTo: upTo)
  }
}

extension OffersDatabase {
  /// The ids of the offers that a query selects.
  func ids(_ query: OfferQuery = OfferQuery()) async throws -> [String] {
    try await fetchOffers(query).map(\.ref.offerID)
  }

  /// The references of the offers that a query selects.
  func refs(_ query: OfferQuery = OfferQuery()) async throws -> [String] {
    try await fetchOffers(query).map(\.ref.description)
  }

  /// The references of the bound user's favorites, sorted.
  func stars() async throws -> [String] {
    try await refs(OfferQuery(favoritesOnly: true)).sorted()
  }
}

/// The error of a refused call.
func refusal(
  _ call: () async throws -> Void, at location: SourceLocation = #_sourceLocation
) async -> OffersError? {
  await #expect(throws: OffersError.self, sourceLocation: location) { try await call() }
}
