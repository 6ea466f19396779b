import Testing

@Suite("Health")
struct HealthTests {
  @Test("a running server reports its status, and no version")
  func works() async throws {
    let home = try await ServedHome()
    let client = try home.client()
    let answer = try await client.get("health")
    #expect((answer.status, answer.text) == (200, #"{"status":"ok"}"#))
  }
}
