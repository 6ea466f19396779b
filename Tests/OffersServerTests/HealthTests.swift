import Hummingbird
import Testing

@Suite("Health")
struct HealthTests {
  @Test("a running server reports its status, and no version")
  func works() async throws {
    let home = try await ServedHome()
    try await home.ask { client in
      try await client.execute(uri: "/api/v1/health", method: .get) { response in
        #expect(response.status == .ok)
        #expect(String(buffer: response.body) == #"{"status":"ok"}"#)
      }
    }
  }
}
