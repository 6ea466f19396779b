/// The URL of the server and a pairing code, with which a phone logs in.
package struct PhoneInvitation: Sendable {
  private let server: String
  private let pairingCode: PairingCode

  /// - Parameters:
  ///   - server: the URL of the server, without a slash at its end.
  ///   - code: the code.
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
