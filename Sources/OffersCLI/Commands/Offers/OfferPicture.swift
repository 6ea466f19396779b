import ArgumentParser
import Foundation
import OffersCore
import OffersHTTP
import OffersSync

/// When an offer's image is drawn.
enum PictureMode: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// The image is drawn if it is cached. The network is not used.
  case auto
  /// The image is drawn, and is fetched first if it is not cached or no longer fresh.
  case always
  case never
}

/// The drawing of an offer's image above its card, on a terminal.
struct OfferPicture {
  let offer: UserOffer
  let place: any StorePlace
  let mode: PictureMode
  let allowsPrivateNetwork: Bool

  /// The drawing and true, or a line with the reason why there is none and false. The text is empty
  /// if the offer has no image, and for the mode `never`.
  func text(from database: any OffersStorage) async -> (text: PrintedText, isDrawn: Bool) {
    guard mode != .never, let url = offer.imageURLText else { return ("", false) }
    func line(_ reason: String) -> (PrintedText, Bool) {
      ("\(DisplayText.oneLine("[no picture: \(reason)]"))\n", false)
    }
    do {
      guard let image = try await image(from: database, at: url) else {
        if let failure = try await database.findFailure(of: url, now: Date()) {
          return line(failure.reason)
        }
        return line("not fetched yet; offers sync --images")
      }
      let environment = ProcessContext.environment
      let drawing = TerminalPicture.draw(
        image, TerminalPicture.way { environment[$0] }, width: Terminal.width ?? 80,
        colors: TerminalPicture.colors { environment[$0] }, path: environment["PATH"] ?? "")
      let kind = "\(image.header.format.title), \(image.header.width) × \(image.header.height)"
      switch drawing {
      case .drawn(let picture): return (.picture(picture), true)
      case .needsChafa: return line("\(kind); to see it here, install chafa")
      case .failed: return line("\(kind), which chafa cannot draw")
      }
    } catch {
      return line((error as? OffersError)?.message ?? "it could not be read")
    }
  }

  private func image(
    from database: any OffersStorage, at url: String
  ) async throws -> CachedImage? {
    if let sample = CachedImage(ofSampleAt: url, now: Date()) { return sample }
    if mode == .auto { return try await database.findImage(of: offer) }
    let writable = try await place.open(.readWrite)
    return try await ImageLoader.use(writable, allowsPrivateNetwork: allowsPrivateNetwork) {
      try await $0.image(of: offer, feedSource: try await database.findSource(of: offer.ref.feed))
    }
  }

  /// Records that the cached image was drawn, for the eviction order, unless another process is
  /// writing. In the mode `always` the loader has recorded it.
  func noteSeen() async {
    guard let url = offer.imageURLText, mode == .auto else { return }
    // If the use is not recorded, the image is at worst evicted earlier.
    try? await place.noteImageUse(of: url)
  }
}
