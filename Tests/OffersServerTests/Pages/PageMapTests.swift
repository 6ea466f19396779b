import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Maps on pages")
struct PageMapTests {
  /// A folder with the names of the map library's files.
  private func files(in folder: TemporaryFolder) throws -> LeafletFiles {
    for name in ["leaflet.css", "leaflet.esm.min.js"] {
      _ = try folder.write("/* \(name) */", to: name)
    }
    return LeafletFiles(folder: folder.path)
  }

  @Test("the map of a list has its places, and the list is below it")
  func maps() async throws {
    let home = try await ServedHome(feeds: ["restaurants", "facts"])
    let server = try home.server(maps: MapSettings(files: try files(in: home.folder)))
    let page = try await home.show("/feeds/restaurants?view=map", on: server)
    #expect(page.text.contains(#"data-latitude="43.03871" data-longitude="-87.90415""#))
    #expect(page.text.contains(#"<ul class="tiles" data-list>"#))
    let list = try await home.show("/feeds/restaurants", on: server).text
    #expect(list.contains(#"href="/feeds/restaurants?view=map""#))
    #expect(!list.contains("data-latitude"))
    #expect(!(try await home.show("/feeds/facts", on: server).text.contains("view=map")))
    #expect(!(try await home.show("/feeds/facts?view=map", on: server).text.contains("data-map")))
    let file = try await home.show("/map/leaflet.esm.min.js", on: server)
    #expect(file.text == "/* leaflet.esm.min.js */")
  }

  @Test("without the map library a list has no map, and says nothing about it")
  func missingLibrary() async throws {
    let home = try await ServedHome(feeds: ["restaurants"])
    _ = try home.folder.write("", to: "leaflet.css")
    let server = try home.server(maps: MapSettings(files: LeafletFiles(folder: home.folder.path)))
    for path in ["/feeds/restaurants", "/feeds/restaurants?view=map"] {
      let page = try await home.show(path, on: server).text
      #expect(page.contains(#"<ul class="tiles" data-list>"#))
      #expect(!page.contains("data-map"))
      #expect(!page.contains("Leaflet"))
    }
  }

  @Test("a place can be called, found and shared")
  func place() async throws {
    let home = try await ServedHome(feeds: ["restaurants"])
    let offers = try await home.database.fetchOffers(OfferQuery(limit: 1))
    let path = PageLinks.offer(try #require(offers.first).ref)
    let server = try home.server(maps: MapSettings(files: try files(in: home.folder)))
    let page = try await home.show(path, on: server).text
    #expect(page.contains(#"href="tel:4145550101""#))
    #expect(page.contains("https://www.openstreetmap.org/directions?to=43.03871%2C-87.90415"))
    #expect(page.contains("data-small-map"))
    #expect(page.contains("data-share="))
    #expect(
      !(try await home.show(
        path,
        on: home.server(
          maps: MapSettings(files: LeafletFiles(folder: "/nowhere")))
      ).text.contains("data-small-map")))
  }

  @Test(
    "a phone number is one with digits and the usual signs",
    arguments: [
      ("Phone", "+1 (414) 555-0101", "tel:+14145550101"),
      ("phone", "030/12 34 56", "tel:030123456"),
      ("Phone", "call us", nil), ("Phone", "1234", nil), ("Address", "12345678", nil),
      ("Phone", "javascript:alert(123456)", nil), ("Phone", "٠١٢٣٤٥٦", nil),
    ] as [(String, String, String?)])
  func phones(label: String, value: String, link: String?) {
    #expect(PageLinks.phone(OfferAttribute(label: label, value: value)) == link)
  }

  @Test("the policy of pages with a map is opened for the host of the tiles alone")
  func policy() async throws {
    let home = try await ServedHome(feeds: ["restaurants", "facts"])
    let tiles = try MapTiles(
      "https://Tiles.example.com:8443/{z}/{x}/{y}.png?key=a;b", attribution: "© <i>Us</i>")
    let server = try home.server(
      maps: MapSettings(files: try files(in: home.folder), tiles: tiles))
    let offers = try await home.database.fetchOffers(OfferQuery(feed: "restaurants", limit: 1))
    let place = PageLinks.offer(try #require(offers.first).ref)
    // A place opens beside any list, and the first ones may come by a refresh, while the page is open.
    for path in ["/", "/feeds/restaurants", "/feeds/restaurants?view=map", "/feeds/facts", place] {
      let page = try await home.show(path, on: server)
      let policy = page.headers[.contentSecurityPolicy] ?? ""
      #expect(policy.contains("img-src 'self' data: https://tiles.example.com:8443;"), "\(path)")
      #expect(policy.contains("connect-src 'self';"))
    }
    let page = try await home.show(place, on: server).text
    #expect(page.contains("&lt;i&gt;Us&lt;/i&gt;"))
    for path in ["/settings", "/web", "/api/v1/offers"] {
      let policy = try await home.show(path, on: server).headers[.contentSecurityPolicy] ?? ""
      #expect(!policy.contains("tiles.example.com"), "\(path)")
      #expect(policy.contains("img-src 'self' data:;"), "\(path)")
    }
  }

  @Test("the service worker may load the tiles that it stores, and knows their server")
  func worker() async throws {
    let home = try await ServedHome(feeds: ["restaurants"])
    let files = try files(in: home.folder)
    let tiles = try MapTiles("https://tiles.example.com/{z}/{x}/{y}.png")
    let loading = try await home.show(
      "/sw.js", on: home.server(maps: MapSettings(files: files, tiles: tiles)))
    let policy = loading.headers[.contentSecurityPolicy] ?? ""
    #expect(policy.contains("connect-src 'self' https://tiles.example.com;"))
    #expect(policy.contains("img-src 'self' data:;"))
    #expect(
      loading.text.contains(
        #"const TILES = {"tileTemplate":"https://tiles.example.com/{z}/{x}/{y}.png""#))
    let plain = try await home.show("/sw.js", on: home.server(maps: MapSettings(files: files)))
    #expect((plain.headers[.contentSecurityPolicy] ?? "").contains("connect-src 'self';"))
    #expect(plain.text.contains("const TILES = null;"))
  }

  @Test("OpenStreetMap is credited as it asks")
  func credit() async throws {
    let home = try await ServedHome(feeds: ["restaurants"])
    let tiles = try #require(MapTiles.openStreetMap)
    let page = try await home.show(
      "/", on: home.server(maps: MapSettings(files: try files(in: home.folder), tiles: tiles)))
    #expect(page.text.contains(#"data-attribution="© OpenStreetMap contributors""#))
    #expect(page.text.contains(#"data-attribution-link="https://www.openstreetmap.org/copyright""#))
    #expect(
      (page.headers[.contentSecurityPolicy] ?? "").contains("data: https://tile.openstreetmap.org;")
    )
  }

  @Test(
    "a URL that is no template of map tiles is refused",
    arguments: [
      "tiles.example.com/{z}/{x}/{y}", "ftp://tiles.example.com/{z}/{x}/{y}",
      "https://tiles.example.com/{z}/{x}", "https://tiles.example.com/{z}/{x}/{y}/{y}",
      "https://{z}.example.com/{x}/{y}", "https://{s}.example.com/{z}/{x}/{y}",
      "https://tiles.example.com/{z}/{x}/{y}{r}.png", "https:///{z}/{x}/{y}",
      "https://tiles.example.com; script-src *//{z}/{x}/{y}", "https://a,b/{z}/{x}/{y}",
      "https://user:secret@tiles.example.com/{z}/{x}/{y}", "https://münchen.example/{z}/{x}/{y}",
      "https://*/{z}/{x}/{y}", "https://'self'/{z}/{x}/{y}", "https://:8080/{z}/{x}/{y}", "",
    ])
  func refusedTiles(template: String) {
    #expect(throws: OffersError.self) { try MapTiles(template) }
  }
}
