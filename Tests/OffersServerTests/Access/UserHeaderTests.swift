import HTTPTypes
import Hummingbird
import OffersCore
import Testing

@testable import OffersServer

@Suite("Proxies that log people in")
struct UserHeaderTests {
  private static let field = "X-Forwarded-User"

  @Test("a trusted proxy names the user by the bytes of the name; any other name is refused")
  func trusted() async throws {
    let home = try await ServedHome()
    let user = try await home.addUser("Ben", .viewer)
    _ = try await home.database.bound(to: user).setFavorites(named: ["ibotta:900117"], to: true)
    let client = try home.client(home.server(proxies: ["127.0.0.1"], userHeader: Self.field))
    let list = try await client.with(Self.field, "Ben").get("favorites")
    #expect(try list.object["favorites"] as? [String] == ["ibotta:900117"])
    let owner = try await home.database.fetchOwner().name
    let named = try await client.with(Self.field, " \(owner) ").get("favorites")
    #expect(named.status == 200)
    // Names that differ in case, width or normalization are those of others at the proxy.
    for name in ["ben", "BEN", "Ｂｅｎ", "Be\u{301}n", owner.uppercased(), "ＯＷＮＥＲ"] {
      let answer = try await client.with(Self.field, name).get("favorites")
      #expect(answer.status == 403, "\(name)")
    }
    let unknown = try await client.with(Self.field, "eve").get("favorites")
    #expect(unknown.status == 403)
    #expect(unknown.detail.contains("There is no user “eve” here."))
    let field = try #require(HTTPField.Name(Self.field))
    var twice: HTTPFields = [field: "Ben"]
    twice.append(HTTPField(name: field, value: "owner"))
    #expect(try await client.get("favorites", headers: twice).status == 400)
    #expect(try await client.get("favorites").status == 401)
    #expect(try await client.with(Self.field, "").get("favorites").status == 401)
    // The role holds.
    let ben = try client.with(Self.field, "Ben")
    #expect(try await ben.write(.post, "sync", "{}").status == 403)
  }

  @Test("the field of anybody else is ignored")
  func untrusted() async throws {
    let home = try await ServedHome(feeds: [])
    try await home.addUser("Ben", .admin)
    for proxies in [["192.0.2.1"], []] {
      let client = try home.client(home.server(proxies: proxies, userHeader: Self.field))
      #expect(try await client.with(Self.field, "Ben").get("favorites").status == 401)
    }
    // Without the option, no field counts.
    let client = try home.client(home.server(proxies: ["127.0.0.1"]))
    #expect(try await client.with(Self.field, "Ben").get("favorites").status == 401)
  }

  @Test(
    "a field that clients send is refused",
    arguments: ["Cookie", "authorization", "X-Forwarded-For", "", "a b", "X-Offers-User"])
  func refusals(name: String) {
    let error = #expect(throws: OffersError.self) { try UserHeader(name) }
    #expect(error?.code == .invalidRequest)
  }
}
