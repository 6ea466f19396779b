import NIOCore
import OffersCore
import OffersSync
import Testing

@testable import OffersHTTP

@Suite("Errors of the HTTP client")
struct ClientFailureTests {
  /// An error of an application's own connection pool, whose name says nothing about the network.
  private struct ConnectionQuotaExceeded: Error {}

  @Test(
    "a channel that was not connected or is closed means an unreachable server",
    arguments: [
      ChannelError.connectTimeout(.seconds(1)), .ioOnClosedChannel, .alreadyClosed, .eof,
      .inputClosed, .outputClosed,
    ])
  func unreachable(error: ChannelError) {
    #expect(ClientFailure.isUnreachable(error))
    #expect((ClientFailure.translate(error) as? TransportFailure)?.reason == .unreachable)
  }

  @Test("a failed call of the system means an unreachable server")
  func system() {
    let error = IOError(errnoCode: 111, reason: "connect")
    #expect(ClientFailure.isUnreachable(error))
    #expect((ClientFailure.translate(error) as? TransportFailure)?.reason == .unreachable)
  }

  @Test(
    "an error that is none of the network is not taken for one",
    arguments: [
      ConnectionQuotaExceeded(), ChannelError.writeMessageTooLarge,
      ChannelError.operationUnsupported, ChannelError.inappropriateOperationForState,
    ] as [any Error])
  func others(error: any Error) {
    #expect(!ClientFailure.isUnreachable(error))
    #expect((ClientFailure.translate(error) as? TransportFailure)?.reason == .other)
  }
}
