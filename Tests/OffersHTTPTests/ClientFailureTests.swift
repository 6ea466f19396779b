import CurlShim
import Foundation
import OffersCore
import OffersSync
import OffersTestSupport
import Testing

@testable import OffersHTTP

@Suite("Errors of the HTTP client")
struct ClientFailureTests {
  private static func reason(
    _ code: CURLcode, text: String = "", isSent: Bool = false, hasHead: Bool = false,
    proxyStatus: Int = 0
  ) -> TransportFailure.Reason {
    ClientFailure(
      code: code, text: text, isSent: isSent || hasHead, hasHead: hasHead, proxyStatus: proxyStatus
    ).reason
  }

  @Test(
    "a connection that cannot be made, or breaks before the request is sent, means an unreachable server",
    arguments: [
      CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY,
      CURLE_RECV_ERROR, CURLE_SEND_ERROR,
    ])
  func unreachable(code: CURLcode) {
    #expect(Self.reason(code) == .unreachable)
  }

  @Test(
    "a connection without a route means no network, unless there is a route to the internet",
    arguments: [ENETUNREACH, EHOSTUNREACH, ECONNREFUSED], [true, false])
  func withoutRoute(error: Int32, haveWayOut: Bool) {
    let failure = ClientFailure(
      code: CURLE_COULDNT_CONNECT, text: "", isSent: false, hasHead: false, proxyStatus: 0,
      systemError: Int(error), haveWayOut: { haveWayOut })
    let isMissing = error != ECONNREFUSED && !haveWayOut
    #expect(failure.reason == (isMissing ? .noNetwork : .unreachable))
  }

  @Test("a connection that breaks after its request was closed early; a bad chunk is no HTTP")
  func broken() {
    #expect(Self.reason(CURLE_RECV_ERROR, isSent: true) == .closedEarly)
    #expect(Self.reason(CURLE_RECV_ERROR, hasHead: true) == .closedEarly)
    let reset = "OpenSSL SSL_connect: Connection reset by peer in connection to shop.example:443"
    #expect(Self.reason(CURLE_SSL_CONNECT_ERROR, text: reset) == .closedEarly)
    #expect(Self.reason(CURLE_PARTIAL_FILE, hasHead: true) == .closedEarly)
    #expect(Self.reason(CURLE_GOT_NOTHING) == .closedEarly)
    let text = "Illegal or missing hexadecimal sequence in chunked-encoding"
    #expect(Self.reason(CURLE_RECV_ERROR, text: text, hasHead: true) == .invalidResponse)
    #expect(Self.reason(CURLE_WEIRD_SERVER_REPLY) == .invalidResponse)
    #expect(Self.reason(CURLE_UNSUPPORTED_PROTOCOL) == .invalidResponse)
  }

  @Test("a time-out is told by whether the head had come")
  func late() {
    #expect(Self.reason(CURLE_OPERATION_TIMEDOUT) == .noAnswer)
    #expect(Self.reason(CURLE_OPERATION_TIMEDOUT, hasHead: true) == .stalled)
  }

  @Test("the answer of a proxy to CONNECT comes before libcurl's own code")
  func proxies() {
    #expect(Self.reason(CURLE_RECV_ERROR, proxyStatus: 407) == .proxyLogin)
    #expect(Self.reason(CURLE_COULDNT_CONNECT, proxyStatus: 403) == .proxyRefusal)
    #expect(Self.reason(CURLE_PROXY) == .proxyRefusal)
    #expect(Self.reason(CURLE_PARTIAL_FILE, hasHead: true, proxyStatus: 200) == .closedEarly)
  }

  @Test(
    "certificates and encryption that are not valid are not trusted",
    arguments: [
      CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE,
    ])
  func untrusted(code: CURLcode) {
    #expect(Self.reason(code) == .untrusted)
  }

  @Test(
    "any other error is told as such",
    arguments: [CURLE_READ_ERROR, CURLE_BAD_FUNCTION_ARGUMENT])
  func others(code: CURLcode) {
    #expect(Self.reason(code) == .other)
  }
}
