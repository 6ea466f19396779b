import Hummingbird
import OffersCore

/// The route of the offers' images, from the image cache or else from their servers.
struct ImageRoutes: Sendable {
  let content: ServerDependencies
  let answers: Answers

  /// The maximum time in seconds for which the server reuses a response without a request to the
  /// image cache. That cache evicts the least recently used image, so that it has to learn of uses.
  private static let rememberedSeconds = 60.0

  /// The use of an image: as it is, or in a list.
  enum Use: Equatable {
    case image
    /// A list, in which the image is no wider than its place: one of `ImageCacheLimits.thumbnailWidths`.
    case thumbnail(width: Int)
    /// The offer of a proposal. Neither the image cache nor the browser stores its image: after a restart
    /// of the server the same URL is that of another image.
    case preview
  }

  func add(to router: Router<ServedContext>) {
    // The value of `v` is ignored: it only gives each image of an offer a URL of its own, for the
    // caches of browsers.
    answers.read("/api/v1/images/{ref}", ["v", "width"], on: router) {
      parameters, context in
      let width = try parameters.number("width", 1...ImageCacheLimits.thumbnailWidth)
      let offer = try await content.store.fetchOffer(named: try context.segment("ref")).offer
      let source =
        offer.imageURLText == nil
        ? nil : try await content.store.findSource(of: offer.ref.feed)
      let step = width.flatMap { width in ImageCacheLimits.thumbnailWidths.first { $0 >= width } }
      return try await answer(
        with: offer, feedSource: source, as: step.map { .thumbnail(width: $0) } ?? .image)
    }
  }

  /// The response with the image of an offer, which need not be stored.
  ///
  /// - Parameter source: the source of its feed, the base of a relative address.
  /// - Throws: `OffersError` with `notFound` for an offer without an image; `Problem` with status 502
  ///   or 504 if it cannot be fetched.
  func answer(
    with offer: Offer, feedSource source: String?, as use: Use
  ) async throws -> Answer {
    let image = try await image(of: offer, source, use)
    var answer = Answer(
      contentType: image.header.format.contentType, body: ByteBuffer(bytes: image.bytes))
    answer.cacheControl = use == .preview ? "no-store" : "private, max-age=86400"
    let fresh = image.freshUntil.timeIntervalSince(content.now())
    answer.lifetime = .seconds(max(0, min(Self.rememberedSeconds, fresh)))
    return answer
  }

  private func image(
    of offer: Offer, _ source: String?, _ use: Use
  ) async throws -> CachedImage {
    guard offer.imageURLText != nil else {
      throw OffersError(.notFound, "\(offer.ref) has no image.")
    }
    do {
      return switch use {
      case .image: try await content.images.image(of: offer, feedSource: source)
      case .thumbnail(let width):
        try await content.images.thumbnail(of: offer, feedSource: source, width: width)
      case .preview: try await content.images.previewImage(of: offer, feedSource: source)
      }
    } catch {
      guard error.isOfSource else { throw error }
      // The offer exists, but its image could not be fetched from another server. The status is
      // that of a gateway: 504 for a timeout, else 502.
      let isLate = error.code == .limitExceeded && error.message.contains("longer than")
      throw Problem(
        isLate ? .gatewayTimeout : .badGateway, error.message, hint: error.hint?.text,
        code: error.code)
    }
  }
}

extension OffersError {
  /// Whether the failure is that of an image's server, and not of the store.
  fileprivate var isOfSource: Bool {
    ![.storageFailed, .storeUnreachable, .cancelled].contains(code)
  }
}
