// Offers.md contains the lines between the two markers verbatim.
// sample begins
import Foundation
import Offers

/// What an app opens once, and hands to its screens.
struct Shop {
  let database: OffersDatabase
  let engine: SyncEngine
  let images: ImageLoader

  init(in folder: URL, definitions: String) async throws {
    let configuration = try FeedConfiguration(yaml: definitions, name: "feeds.yaml")
    database = try await OffersDatabase.open(
      at: folder.appending(path: "offers.sqlite"), configuration: configuration)
    engine = SyncEngine(store: database, configuration: configuration)
    images = ImageLoader(images: database)
  }
}
// sample ends
