import Foundation
import Offers
import Testing

@Suite("Watches of an app")
struct WatchInterfaceTests {
  @Test("an app adds a watch, and is told after a sync what it finds")
  func tells() async throws {
    let database = try await OffersDatabase.inMemory()
    let engine = SyncEngine(store: database)
    let file = FileManager.default.temporaryDirectory.appending(path: "offers-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    func sync(_ records: String) async throws {
      try Data("[\(records)]".utf8).write(to: file)
      _ = try await engine.sync("ibotta", options: SyncOptions(source: .file(file)))
    }
    let tea = #"{"id": "1", "name": "Tea", "current_value": "$3.00"}"#
    try await sync(tea)
    let teller = await Teller(database)
    try await teller.watchCoffee()
    #expect(try await teller.newLines() == [])
    let watch = try #require(try await database.fetchWatches().first)
    await #expect(throws: OffersError.self) { try await database.addWatch("rewrd:>=2") }
    try await sync("\(tea), " + #"{"id": "2", "name": "Coffee", "current_value": "$2.50"}"#)
    #expect(try await teller.newLines() == ["Coffee is a new match: $2.50"])
    #expect(try await teller.newLines() == [])
    #expect(try await database.setWatch(watch.id, isPaused: true).pausedAt != nil)
    try await database.removeWatch(watch.id)
    #expect(try await database.fetchWatches().isEmpty)
  }
}
