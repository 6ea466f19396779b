import Foundation
import OffersTestSupport
import Testing

@testable import OffersPlatform

@Suite("The name of this machine in the local network")
struct MulticastNameTests {
  @Test(
    "the name is the first label of the host name",
    arguments: [
      ("kitchen", "kitchen.local"), ("Kitchen.example.com", "kitchen.local"), ("a-1", "a-1.local"),
      ("localhost", nil), ("", nil), (".local", nil), ("a_b", nil), ("küche", nil), ("a b", nil),
    ])
  func names(host: String, expected: String?) {
    #expect(MulticastName.name(of: host) == expected)
  }

  @Test("without a program that answers for it, there is no name")
  func needsResponder() throws {
    let folder = try TemporaryFolder()
    #expect(MulticastName.find(responder: folder.file("socket")) == nil)
    let path = try folder.write("", to: "socket")
    let name = MulticastName.find(responder: path)
    #expect(name == nil || name?.hasSuffix(".local") == true)
  }
}
