import OffersCore
import Testing

@Suite("Built-in samples and shipped definitions")
struct SampleTests {
  private func read(_ name: String) throws -> YAMLReading {
    try YAMLReading(
      shipped: name, String(decoding: ShippedDefinition.sample(name), as: UTF8.self))
  }

  @Test(
    "every offer of a sample has a name and a unique id",
    arguments: [("ibotta", 64), ("restaurants", 24), ("facts", 15), ("movies", 40), ("albums", 60)])
  func hasOffers(name: String, count: Int) throws {
    let sample = try read(name)
    #expect(sample.error == nil && sample.mends.isEmpty)
    #expect(sample.offers.count == count)
    #expect(Set(sample.ids).count == count)
  }

  @Test("a restaurant has an image, a category, coordinates and usually a phone number")
  func restaurants() throws {
    let sample = try read("restaurants")
    #expect(sample.facts.title == "Restaurants")
    for field in [OfferField.imageURL, .categories, .latitude, .longitude] {
      #expect(!sample.all(field).contains(nil))
    }
    #expect(
      sample.attributes.allSatisfy { attributes in
        attributes.contains { $0.hasPrefix("Address: ") && $0.contains(", WI") }
      })
    let phones = sample.attributes.joined().filter { $0.hasPrefix("Phone: ") }
    #expect(phones.count == 22)
    #expect(phones.allSatisfy { $0.contains("555-01") })
    #expect(sample.attributes[0].contains("Twitter: @copperladle"))
  }

  @Test("the title of the facts comes from the document, and an empty row is not a fact")
  func facts() throws {
    let sample = try read("facts")
    #expect(sample.facts.title == "About the Northern Isles")
    #expect(sample.itemCount == 16)
    #expect(sample.skips.count == 1)
  }

  @Test("a movie has an image only if it has a poster")
  func movies() throws {
    let sample = try read("movies")
    let images = sample.all(.imageURL)
    #expect(
      images[0] == "https://image.tmdb.org/t/p/w500/sample-poster-5/a-map-of-quiet-places.jpg")
    #expect(images.filter { $0 == nil }.count == 3)
    #expect(sample.all(.url)[0] == "https://www.themoviedb.org/movie/9000101")
    #expect(sample.attributes[0].contains("Released: 2024-03-15"))
    #expect(sample.attributes[2].contains("Original title: Faroles para Inés"))
  }

  @Test("an album has an artist and a genre, and the copyright is shared")
  func albums() throws {
    let sample = try read("albums")
    #expect(sample.facts.title == "Top Albums")
    #expect(sample.facts.shared.first?.hasPrefix("Copyright: Copyright © 2025") == true)
    for attributes in sample.attributes {
      let labels = attributes.compactMap { $0.split(separator: ":").first }
      #expect(Set(labels).isSuperset(of: ["Artist", "Genre", "Released"]))
      #expect(!labels.contains("Copyright"))
    }
    #expect(!sample.all(.imageURL).contains(nil) && !sample.all(.url).contains(nil))
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
    let albums = try YAMLReading(shipped: "albums", document)
    #expect(albums.facts.title == "Top Albums")
    #expect(albums.facts.shared == ["Copyright: Copyright 2008"])
    #expect(albums.ids == ["471"])
    #expect(albums.names == ["Tin Roof"])
    #expect(albums.all(.imageURL) == ["https://a.example/170.jpg"])
    #expect(albums.all(.url) == ["https://a.example/1"])
    #expect(albums.all(.reward) == ["$9.99"])
    let expected: Set = ["Artist: Hollis", "Genre: Country", "Copyright: ℗ 2008 Somebody"]
    #expect(expected.isSubset(of: albums.attributes.joined()))
  }
}
