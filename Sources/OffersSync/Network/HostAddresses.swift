import Dispatch
import OffersCore
import OffersPlatform

/// Resolves host names with the system's resolver.
package enum HostAddresses {
  /// The timeout for resolving a name, in seconds.
  package static let lookUpSeconds = 20.0

  /// Resolves a host.
  ///
  /// An address literal yields its address, also in decimal, octal and hexadecimal notation
  /// (`2852039166`, `0x7f.1`), and in brackets for IPv6. The resolver blocks a Dispatch thread, not
  /// one of the concurrency pool; a cancelled task does not wait for it.
  ///
  /// - Parameter host: a host name or an address literal.
  /// - Returns: at least one address, without duplicates, in the order of preference (RFC 6724).
  /// - Throws: `TransportFailure` when no address is found; `CancellationError`.
  package static func resolve(_ host: String) async throws -> [NetworkAddress] {
    let (results, sender) = AsyncStream.makeStream(
      of: Result<[NetworkAddress], AddressLookup.Failure>.self)
    DispatchQueue.global().async {
      do throws(AddressLookup.Failure) {
        sender.yield(.success(try AddressLookup.find(host)))
      } catch {
        sender.yield(.failure(error))
      }
      sender.finish()
    }
    for await result in results {
      do throws(AddressLookup.Failure) {
        return try result.get()
      } catch {
        throw failure(host, error)
      }
    }
    throw CancellationError()
  }

  /// The address of a literal in any notation that `resolve` accepts, with or without a final dot;
  /// nil for a name. Sends no query.
  package static func literal(_ host: String) -> NetworkAddress? {
    // With a final dot `getaddrinfo` takes the text for a name, but a proxy may take it for an
    // address.
    let bare = host.hasSuffix(".") ? String(host.dropLast()) : host
    // The error of a text that is no literal is not needed.
    return try? AddressLookup.find(bare, isLiteral: true).first
  }

  /// The error of a lookup that did not end in time.
  package static func late(_ host: String) -> TransportFailure {
    TransportFailure(
      .noNetwork, message: "The host name \(host) could not be resolved in time.", hint: hint)
  }

  private static let hint = "Nothing was changed. Check the network, then sync again."

  /// The error of a failed lookup.
  ///
  /// - Parameter hasWayOut: whether the machine has a route to the internet. Without one, some resolvers
  ///   say of every name that it does not exist.
  static func failure(
    _ host: String, _ failure: AddressLookup.Failure,
    hasWayOut: Bool = InterfaceAddresses.haveWayOut
  ) -> TransportFailure {
    if failure.isOfResolver {
      return TransportFailure(
        .noNetwork, message: "The host \(host) could not be looked up.", hint: hint,
        cause: failure.text)
    }
    return TransportFailure(
      hasWayOut ? .unknownHost : .noNetwork, message: "The host \(host) could not be found.",
      hint: "Nothing was changed. Check the address and the network.", cause: failure.text)
  }
}
