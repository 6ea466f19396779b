import Foundation
import OffersCore
import Testing

@Suite("Failures of images")
struct ImageFailureRules {
  private static func failure(_ number: Int, after seconds: Double) -> ImageFailure {
    ImageFailure(
      url: ImageHome.url(number), code: .notFound, reason: "answered 404",
      until: ImageHome.now + seconds)
  }

  @Test(
    "a failure is remembered until it expires or an image is put", arguments: StoreKind.allCases)
  func expires(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    let failure = Self.failure(1, after: 600)
    try await home.store.putFailure(failure)
    func find(after seconds: Double) async throws -> ImageFailure? {
      try await home.store.findFailure(of: failure.url, now: ImageHome.now + seconds)
    }
    #expect(try await find(after: 599) == failure)
    #expect(try await find(after: 600) == nil)
    try await home.put(1)
    #expect(try await find(after: 0) == nil)
  }

  @Test(
    "a failure that would be remembered for longer than any has expired",
    arguments: StoreKind.allCases)
  func clock(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    for (seconds, isFound) in [(86_400.0, true), (86_401, false), (34_646_400, false)] {
      try await home.store.putFailure(Self.failure(1, after: seconds))
      let failure = try await home.store.findFailure(of: ImageHome.url(1), now: ImageHome.now)
      let failures = try await home.contents().failures
      #expect((failure != nil) == isFound && failures.isEmpty != isFound, "\(seconds)")
    }
  }

  @Test(
    "failures that expire soon are forgotten at once, others are kept",
    arguments: StoreKind.allCases)
  func forgets(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    for (number, seconds) in [(1, 600.0), (2, 601)] {
      try await home.store.putFailure(Self.failure(number, after: seconds))
    }
    try await home.store.forgetFailures(until: ImageHome.now + 600)
    #expect(try await home.contents().failures.map(\.url) == [ImageHome.url(2)])
  }

  @Test("a bounded number of failures is remembered", arguments: StoreKind.allCases)
  func isBounded(kind: StoreKind) async throws {
    let home = try await ImageHome(kind)
    for number in 0..<500 {
      try await home.store.putFailure(Self.failure(number, after: Double(number + 1)))
    }
    let failures = try await home.contents().failures
    #expect((50...200).contains(failures.count))
    #expect(failures.first?.url == ImageHome.url(499))
  }
}
