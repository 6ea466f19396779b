import OffersCore
import OffersPlatform
import OffersSync

/// Everything that a transfer is set up with.
struct TransferPlan: Sendable {
  let request: TransportRequest
  /// When the request was made, from which the limit of its head counts.
  let begun: ContinuousClock.Instant
  /// The proxy; nil for a direct connection.
  let proxy: Proxy?
  /// The addresses that the host's name was resolved to, in the order of preference; empty for an
  /// address literal, and for a name that the proxy resolves.
  let addresses: [NetworkAddress]
  /// The path of a PEM file of certificates that replaces the system's; nil for the system's.
  let certificates: String?

  /// The longest wait for a connection, in seconds, with the handshake of TLS.
  var connectSeconds: Double { min(Duration.wait(seconds: request.idleSeconds) / .seconds(1), 10) }

  /// The line that tells libcurl the addresses of a name, as `CURLOPT_RESOLVE` reads it. The entry is
  /// forgotten with the others of its cache (`+`).
  func addressLine(for name: String, port: Int) -> String {
    let list = addresses.map { $0.text.utf8.contains(UInt8(ascii: ":")) ? "[\($0.text)]" : $0.text }
    return "+\(name):\(port):\(list.joined(separator: ","))"
  }
}
