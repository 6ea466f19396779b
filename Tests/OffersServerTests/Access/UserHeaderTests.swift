import HTTPTypes
import Hummingbird
import OffersCore
import Testing

@testable import OffersServer

@Suite("Proxies that log people in")
struct UserHeaderTests {
  private static let field = "X-Forwarded-User"

  private static func fields(_ values: String...) throws -> HTTPFields {
    let name = try #require(HTTPField.Name(field))
    var fields: HTTPFields = [:]
    for value in values { fields.append(HTTPField(name: name, value: value)) }
    return fields
  }

  @Test("a trusted proxy names the user by the bytes of the name; any other name is refused")
  func trusted() async throws {
    let home = try await ServedHome()
    let user = try await home.addUser("Ben", .viewer)
    _ = try await home.database.bound(to: user).setFavorites(named: ["ibotta:900117"], to: true)
    let server = try home.server(proxies: ["127.0.0.1"], userHeader: Self.field)
    try await home.ask(server) { client in
      let list = try await client.get("favorites", headers: try Self.fields("Ben"))
      #expect(try list.object["favorites"] as? [String] == ["ibotta:900117"])
      let owner = try await home.database.fetchOwner().name
      let named = try await client.get("favorites", headers: try Self.fields(" \(owner) "))
      #expect(named.status == 200)
      // Names that differ in case, width or normalization are those of others at the proxy.
      for name in ["ben", "BEN", "Ｂｅｎ", "Be\u{301}n", owner.uppercased(), "ＯＷＮＥＲ"] {
        let answer = try await client.get("favorites", headers: try Self.fields(name))
        #expect(answer.status == 403, "\(name)")
      }
      let unknown = try await client.get("favorites", headers: try Self.fields("eve"))
      #expect(unknown.status == 403)
      #expect(unknown.detail.contains("There is no user “eve” here."))
      #expect(
        try await client.get("favorites", headers: try Self.fields("Ben", "owner")).status == 400)
      #expect(try await client.get("favorites").status == 401)
      #expect(try await client.get("favorites", headers: try Self.fields("")).status == 401)
      // The role holds.
      var fields = try Self.fields("Ben")
      fields[.contentType] = "application/json"
      #expect(try await client.write(.post, "sync", "{}", headers: fields).status == 403)
    }
  }

  @Test("the field of anybody else is ignored")
  func untrusted() async throws {
    let home = try await ServedHome(feeds: [])
    try await home.addUser("Ben", .admin)
    for proxies in [["192.0.2.1"], []] {
      let server = try home.server(proxies: proxies, userHeader: Self.field)
      try await home.ask(server) { (client) async throws in
        #expect(try await client.get("favorites", headers: try Self.fields("Ben")).status == 401)
      }
    }
    // Without the option, no field counts.
    try await home.ask(try home.server(proxies: ["127.0.0.1"])) { (client) async throws in
      #expect(try await client.get("favorites", headers: try Self.fields("Ben")).status == 401)
    }
  }

  @Test(
    "a field that clients send is refused",
    arguments: ["Cookie", "authorization", "X-Forwarded-For", "", "a b", "X-Offers-User"])
  func refusals(name: String) {
    let error = #expect(throws: OffersError.self) { try UserHeader(name) }
    #expect(error?.code == .invalidRequest)
  }
}
