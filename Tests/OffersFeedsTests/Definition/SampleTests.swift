import OffersCore
import OffersFeeds
import Testing

@Suite("Built-in samples and shipped definitions")
struct SampleTests {
  private func read(_ name: String) throws -> JSONEvaluation {
    try JSONEvaluation(ShippedDefinition.definition(name), of: ShippedDefinition.sample(name))
  }

  @Test(
    "every offer of a sample has a name and a unique id",
    arguments: [("ibotta", 64), ("restaurants", 24), ("facts", 15), ("movies", 40), ("albums", 60)])
  func hasOffers(name: String, count: Int) throws {
    let sample = try read(name)
    let offers = sample.items.filter { sample.field(.name, of: $0) != nil }
    #expect(offers.count == count)
    let ids = offers.map { sample.id(of: $0) }
    #expect(ids.allSatisfy { !$0.isEmpty })
    #expect(Set(ids).count == count)
  }

  @Test("a restaurant has an image, a category, coordinates and usually a phone number")
  func restaurants() throws {
    let sample = try read("restaurants")
    #expect(sample.title == "Restaurants")
    for item in sample.items {
      for field in [OfferField.imageURL, .categories, .latitude, .longitude] {
        #expect(sample.field(field, of: item) != nil)
      }
      #expect(sample.attribute("Address", of: item)?.contains(", WI") == true)
    }
    let phones = sample.items.compactMap { sample.attribute("Phone", of: $0) }
    #expect(phones.count == 22)
    #expect(phones.allSatisfy { $0.contains("555-01") })
    #expect(sample.attribute("Twitter", of: sample.items[0]) == "@copperladle")
  }

  @Test("the title of the facts comes from the document, and an empty row is not a fact")
  func facts() throws {
    let sample = try read("facts")
    #expect(sample.title == "About the Northern Isles")
    #expect(sample.items.count == 16)
    let empty = sample.items.filter { sample.field(.name, of: $0) == nil }
    #expect(empty.count == 1)
    #expect(empty.allSatisfy { sample.id(of: $0).isEmpty })
  }

  @Test("a movie has an image only if it has a poster")
  func movies() throws {
    let sample = try read("movies")
    let images = sample.items.map { sample.field(.imageURL, of: $0) }
    #expect(
      images[0] == "https://image.tmdb.org/t/p/w500/sample-poster-5/a-map-of-quiet-places.jpg")
    #expect(images.filter { $0 == nil }.count == 3)
    #expect(sample.field(.url, of: sample.items[0]) == "https://www.themoviedb.org/movie/9000101")
    #expect(sample.attribute("Released", of: sample.items[0]) == "2024-03-15")
    #expect(sample.attribute("Original title", of: sample.items[2]) == "Faroles para Inés")
  }

  @Test("an album has an artist and a genre, and the copyright is shared")
  func albums() throws {
    let sample = try read("albums")
    #expect(sample.title == "Top Albums")
    #expect(sample.shared("Copyright")?.hasPrefix("Copyright © 2025") == true)
    for item in sample.items {
      for label in ["Artist", "Genre", "Released"] {
        #expect(sample.attribute(label, of: item) != nil)
      }
      #expect(sample.field(.imageURL, of: item) != nil)
      #expect(sample.field(.url, of: item) != nil)
      #expect(sample.attribute("Copyright", of: item) == nil)
    }
  }

  @Test("the earliest format of the albums is read with the same definition")
  func oldestAlbums() throws {
    let document = """
      {"feed":{"title":{"label":"Top Albums"},"rights":{"label":"Copyright 2008"},"entry":[
        {"im:name":{"label":"Tin Roof"},"im:artist":{"label":"Hollis"},
         "im:image":[{"label":"https://a.example/55.jpg","attributes":{"height":"55"}},
           {"label":"https://a.example/170.jpg","attributes":{"height":"170"}}],
         "im:price":{"label":"$9.99","attributes":{"amount":"9.99","currency":"USD"}},
         "rights":{"label":"℗ 2008 Somebody"},
         "link":{"attributes":{"rel":"alternate","href":"https://a.example/1"}},
         "id":{"label":"https://a.example/id1","attributes":{"im:id":"471"}},
         "category":{"attributes":{"term":"Country","label":"Country"}},
         "im:releaseDate":{"label":"2008-06-24T00:00:00-07:00"}}]}}
      """
    let albums = try JSONEvaluation(
      ShippedDefinition.definition("albums"), of: .init(document.utf8))
    #expect(albums.title == "Top Albums")
    #expect(albums.shared("Copyright") == "Copyright 2008")
    #expect(albums.items.count == 1)
    let item = albums.items[0]
    #expect(albums.id(of: item) == ["471"])
    #expect(albums.field(.name, of: item) == "Tin Roof")
    #expect(albums.field(.imageURL, of: item) == "https://a.example/170.jpg")
    #expect(albums.field(.url, of: item) == "https://a.example/1")
    #expect(albums.field(.reward, of: item) == "$9.99")
    #expect(albums.attribute("Artist", of: item) == "Hollis")
    #expect(albums.attribute("Genre", of: item) == "Country")
    #expect(albums.attribute("Copyright", of: item) == "℗ 2008 Somebody")
  }
}
