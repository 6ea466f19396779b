import OffersCore
import OffersStore
import Testing

@Suite("The place of a store")
struct StorePlaceTests {
  /// The place of a store on a server, which cannot be reached.
  private struct Server: StorePlace {
    let name = "db.example/offers"
    let medium = StoreMedium.server { work in Hint("Use the server's tool for: \(work)") }
    let exists = true
    let missing = OffersError(.notFound, "There is no store.")
    let temporaryFolder = "/tmp"

    func open(_ access: StoreAccess) async throws -> OffersDatabase { throw missing }
    func requireUnused() async throws { throw missing }
    func noteImageUse(of url: String) async throws { throw missing }
  }

  @Test("Work on a file is refused for a store on a server, with the tool that does it")
  func refusesWorkOnFile() {
    let server = Server()
    #expect(server.file == nil)
    for work in StoreFileOperation.allCases {
      let error = #expect(throws: OffersError.self) { try server.fetchFile(for: work) }
      #expect(error?.code == .invalidRequest)
      #expect(error?.message.hasPrefix("db.example/offers is a database on a server") == true)
      #expect(error?.hint?.text == "Use the server's tool for: \(work)")
    }
  }
}
