import Hummingbird
import Logging
import NIOCore
import OffersCore

/// The context of a request: its connection, and whom it is from.
struct ServedContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  private let channel: any Channel
  /// The other end of the connection.
  let peer: Peer
  /// The address of the client. It differs from `peer` if that is a trusted proxy.
  var client: Peer
  /// Whether the request came over a network connection; false in some tests.
  var hasConnection: Bool { channel.remoteAddress != nil }
  /// Whom the request is from; `ServedResponder` finds out.
  var visitor = Visitor.stranger

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
    // A connection without an IP address is closed before its first request (ConnectionDeadlines);
    // only tests have requests without a connection.
    peer = channel.remoteAddress.flatMap(Peer.init) ?? .loopback
    client = peer
  }

  /// Tells the connection that its client has shown the token.
  func markAuthenticated() {
    channel.triggerUserOutboundEvent(ConnectionDeadlines.Authenticated(), promise: nil)
  }
}
