import Foundation
import OffersCore

extension FeedPage {
  /// The maximum number of offers on the map.
  private static let mapLimit = 1000
  /// The maximum size of a text on the map, in bytes; longer texts are truncated.
  private static let mapTextBytes = 256

  /// The fields of the map that opens over the list; nil without the map library, or if no offer of
  /// the list has coordinates. The places are left out unless the map's own address is requested.
  ///
  /// - Parameters:
  ///   - selection: the filters and the order of the list.
  ///   - offers: the offers of the shown page of the list.
  ///   - presentation: how the offers of the feed are shown.
  ///   - now: the time at which offers count as expired.
  func map(
    of selection: ListSelection, on offers: [UserOffer], _ presentation: FeedPresentation,
    at now: Date
  ) async throws -> PageFields? {
    guard source.content.maps.files.areInstalled else { return nil }
    let isOpen = request.fields["view"] == "map"
    var places = offers
    if isOpen {
      places = try await fetch(
        selection.query(page: 1, size: Self.mapLimit + 1, textBytes: Self.mapTextBytes))
    }
    places = places.prefix(Self.mapLimit).filter { Coordinates($0.offer) != nil }
    if places.isEmpty { return nil }
    return PageFields { map in
      map.set("listLink", selection.link())
      map.set("mapLink", selection.link(more: [("view", "map")]))
      guard isOpen else { return }
      map.set(
        "dialog",
        PageFields { dialog in
          dialog.setTiles(source.content.maps)
          dialog.set("placeCount", Units.count(places.count, "place"))
          dialog.set(
            "places",
            places.map { offer in
              var card = PageFields(card: offer, presentation, at: now, back: request.back)
              card.describe(offer.offer, presentation)
              return card
            })
        })
    }
  }
}

extension Page {
  /// Allows a page with a map to load tiles, if the operator has named a server of tiles.
  mutating func openReach(for maps: MapSettings) {
    if let tiles = maps.tiles { reach = .images(from: tiles.origin) }
  }
}

extension PageFields {
  /// Sets the server of tiles of a map, if there is one.
  mutating func setTiles(_ maps: MapSettings) {
    guard let tiles = maps.tiles else { return }
    set(
      "tiles",
      PageFields { fields in
        fields.set("tileTemplate", tiles.template)
        fields.set("tileAttribution", tiles.attribution)
      })
  }
}
