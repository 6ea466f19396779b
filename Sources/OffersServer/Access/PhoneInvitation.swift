import OffersCore
import OffersPlatform
import ServerShim

/// The URL of the server and a pairing code, with which a phone logs in.
package struct PhoneInvitation: Sendable {
  private let server: String
  private let pairingCode: PairingCode

  /// - Parameter server: the URL of the server, without a slash at its end.
  init(server: String, code: PairingCode) {
    self.server = server
    pairingCode = code
  }

  /// The address of the page on which the code is typed, such as `http://192.0.2.5:8080/pair`.
  package var page: String { server + "/pair" }

  /// The code in two groups, such as `K7QM-2XPD`.
  package var code: String { pairingCode.text }

  /// The QR code of the page's address with the code; nil if the address is too long.
  package var qrCode: QRCode? { QRCode("\(page)?code=\(pairingCode.characters)") }
}

/// A QR code (ISO/IEC 18004), from libqrencode.
package struct QRCode: Sendable {
  /// The number of modules (the squares of the code) on a side, without the margin.
  package let size: Int
  private static let library = SharedLibrary.open("libqrencode", package: "libqrencode4") {
    offers_libqrencode_open(&$0)
  }

  /// The modules row by row; true for a dark one.
  private let modules: [Bool]

  /// The width of the light margin that readers need, in modules.
  package static let margin = 4

  /// Encodes a text of at most 300 bytes, so that the code stays small enough to be read.
  ///
  /// - Returns: nil for an empty or longer text, without libqrencode, and if there is no memory.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard 1...300 ~= bytes.count,
      // The page and the terminal then show the address only.
      let library = try? Self.library.get(),
      // Version 0 is the smallest one that suffices. Level M restores 15 % of the code.
      let code = library.QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M)
    else { return nil }
    defer { library.QRcode_free(code) }
    let size = Int(code.pointee.width)
    guard let data = code.pointee.data else { return nil }
    self.size = size
    // The lowest bit of a byte is the color of a module.
    modules = (0..<size * size).map { data[$0] & 1 == 1 }
  }

  /// Whether a module is dark; false in the margin.
  func isDark(_ column: Int, _ row: Int) -> Bool {
    (0..<size).contains(column) && (0..<size).contains(row) && modules[row * size + column]
  }

  /// The width of the code with its margin, in modules.
  package var width: Int { size + 2 * Self.margin }

  /// The dark modules as the data of an SVG path, in a square of `width` units.
  var path: String {
    var path = ""
    for row in 0..<size {
      var column = 0
      while column < size {
        guard isDark(column, row) else {
          column += 1
          continue
        }
        let start = column
        while isDark(column, row) { column += 1 }
        path +=
          "M\(start + Self.margin) \(row + Self.margin)h\(column - start)v1h-\(column - start)z"
      }
    }
    return path
  }

  /// The code with its margin as lines of half blocks, each of which draws two modules. They are to be
  /// printed in black on white.
  package var blockLines: [String] {
    let places = -Self.margin..<size + Self.margin
    return stride(from: places.lowerBound, to: places.upperBound, by: 2).map { row in
      let blocks = places.map { column in
        switch (isDark(column, row), isDark(column, row + 1)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return blocks.joined()
    }
  }
}

/// The URLs by which other devices can reach a server.
struct ReachableURLs: Sendable {
  let address: ServerAddress
  let usesTLS: Bool
  /// Whether devices reach the server through a proxy that adds TLS, and only so.
  let isBehindTLS: Bool

  private static let limit = 10

  /// The URLs, the best one first: of the allowed names, then of the addresses of this machine.
  /// None if only this machine can reach the server.
  ///
  /// - Parameter interfaces: the addresses of this machine's interfaces, which count for a server that
  ///   listens on all of them.
  func all(port: Int, interfaces: [NetworkAddress]) -> [String] {
    let names = address.allowedHosts.filter { !Loopback.isAuthority($0) }
    if isBehindTLS {
      return names.map { "https://" + Authority.bracketed($0) + address.basePath.text }
    }
    var hosts = names
    switch address.host {
    case "0.0.0.0": hosts += interfaces.filter(\.isIPv4).map(\.text)
    case "::": hosts += interfaces.map(\.text)
    case let host where !Loopback.isHost(host): hosts.append(host)
    default: break
    }
    if address.isEverywhere, let name = address.localName { hosts.append(name) }
    return hosts.prefix(Self.limit).map { url($0, port) }
  }

  /// The URLs with the present addresses of this machine.
  func all(port: Int) -> [String] {
    // If the system does not tell its addresses, those that the operator gave are left.
    all(port: port, interfaces: (try? InterfaceAddresses.fetch()) ?? [])
  }

  private func url(_ host: String, _ port: Int) -> String {
    let name = Authority.bracketed(host)
    let isWhole = Authority(name)?.port != nil || port == (usesTLS ? 443 : 80)
    return (usesTLS ? "https://" : "http://") + (isWhole ? name : "\(name):\(port)")
      + address.basePath.text
  }
}
