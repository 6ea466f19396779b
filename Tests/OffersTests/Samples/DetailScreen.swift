// Offers.md contains the lines between the two markers verbatim.
// sample begins
import Offers

/// One offer with its picture and its star.
@MainActor final class DetailScreen {
  /// Nil once the offer is removed from the database.
  private(set) var offer: UserOffer?
  /// The bytes of a PNG, JPEG, GIF, WebP or AVIF file; nil if there is none, or none without the network.
  private(set) var picture: [UInt8]?
  private let database: OffersDatabase
  private let images: ImageLoader

  init(_ database: OffersDatabase, _ images: ImageLoader) {
    (self.database, self.images) = (database, images)
  }

  /// Shows the offer, and each change of it, until the task is cancelled.
  func show(_ ref: OfferRef) async {
    for await offer in database.updates({ try await $0.findOffer(ref) }) { self.offer = offer }
  }

  /// Shows the picture, from the cache or else from its server.
  func showPicture(of ref: OfferRef) async {
    guard let offer = try? await database.findOffer(ref) else { return }
    picture = try? await images.image(of: offer).bytes
  }

  /// Stars the offer, or takes the star away. The loop above shows it.
  func toggleFavorite() async throws {
    guard let offer else { return }
    try await database.setFavorites([offer.ref], to: !offer.isFavorite)
  }
}
// sample ends
