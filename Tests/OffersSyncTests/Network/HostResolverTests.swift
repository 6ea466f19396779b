import Glibc
import OffersCore
import OffersPlatform
import Testing

@testable import OffersSync

@Suite("Host lookups")
struct HostResolverTests {
  @Test(
    "a literal yields its address",
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("2852039166", "169.254.169.254"),
      ("0xa9fea9fe", "169.254.169.254"),
      ("0x7f.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0177.0.0.01", "127.0.0.1"),
      ("0", "0.0.0.0"),
      ("::1", "::1"), ("[::1]", "::1"), ("[2001:DB8::1]", "2001:db8::1"),
      ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"), ("255.255.255.255", "255.255.255.255"),
    ])
  func resolvesLiterals(host: String, expected: String) async throws {
    let addresses = try await HostResolver.resolve(host)
    #expect(addresses.map(\.text) == [expected])
    #expect(HostResolver.literal(host)?.text == expected)
  }

  @Test("localhost is resolved without duplicate addresses")
  func resolvesThisMachine() async throws {
    let addresses = try await HostResolver.resolve("localhost")
    #expect(!addresses.isEmpty)
    #expect(addresses.allSatisfy { $0.isLoopback })
    #expect(Set(addresses).count == addresses.count)
  }

  @Test(
    "a name is not a literal",
    arguments: ["localhost", "example.com", "", "[localhost]", "1.2.3.4.5"])
  func refusesNames(host: String) {
    #expect(HostResolver.literal(host) == nil)
  }

  @Test("a nonexistent name is not found, or cannot be looked up without a network")
  func missesNames() async {
    let error = await #expect(throws: TransportFailure.self) {
      try await HostResolver.resolve("offers.invalid")
    }
    #expect([.unknownHost, .noNetwork].contains(error?.reason))
    #expect(error?.hint?.hasPrefix("Nothing was changed.") == true)
    #expect(error?.cause != nil)
    #expect(
      [
        "The host offers.invalid could not be found.",
        "The host offers.invalid could not be looked up.",
      ].contains(error?.message))
  }

  @Test(
    "an invalid host is not found, without a lookup",
    arguments: ["", "[]", "[localhost]", "[127.0.0.1]", "127.0.0.1\0.example.com", "[::1\0]"])
  func refusesOthers(host: String) async {
    let error = await #expect(throws: TransportFailure.self) {
      try await HostResolver.resolve(host)
    }
    #expect(error?.message == "The host \(host) could not be found.")
  }

  @Test(
    "a failure of the resolver is distinguished from an unknown host",
    arguments: [(EAI_AGAIN, false), (EAI_SYSTEM, false), (EAI_NONAME, true), (EAI_FAIL, true)])
  func tellsFailuresApart(status: Int32, isMissing: Bool) {
    let failure = AddressLookup.Failure(status: status, systemError: ENETUNREACH)
    let error = HostResolver.failure("a.example", failure, hasWayOut: true)
    #expect(error.reason == (isMissing ? .unknownHost : .noNetwork))
    // Without a route, some resolvers say that no name exists.
    let lost = HostResolver.failure("a.example", failure, hasWayOut: false)
    #expect(lost.reason == .noNetwork && lost.message == error.message)
    #expect(
      error.message
        == (isMissing
          ? "The host a.example could not be found."
          : "The host a.example could not be looked up."))
    #expect(
      error.hint
        == (isMissing
          ? "Nothing was changed. Check the address and the network."
          : "Nothing was changed. Check the network, then sync again."))
    #expect(error.cause == failure.text)
  }

  @Test("a cancelled task does not wait for the resolver")
  func endsWhenCancelled() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await HostResolver.resolve("localhost")
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
