import CurlShim
import Foundation
import OffersCore
import OffersPlatform
import OffersSync

/// Hands mails to servers by SMTP (RFC 5321, RFC 4954, RFC 8314), over libcurl.
///
/// Each mail has a connection of its own. TLS is of version 1.2 or newer, with a certificate that the system trusts,
/// or a file that `SSL_CERT_FILE` names. No proxy is used.
package enum MailClient {
  /// Sends a mail. Takes at most 30 seconds, on a thread of its own.
  ///
  /// - Parameter environment: returns the value of an environment variable, for certificates.
  /// - Returns: `delivered` when the server has taken the mail over. An answer of 4xx is `later`. One of 5xx
  ///   `ended` for the login, the sender or the receiver, and `refused` for the mail itself.
  package static func send(
    _ submission: MailSubmission,
    environment: @escaping @Sendable (String) -> String? = EnvironmentVariable.find
  ) async -> DeliveryOutcome {
    do {
      return try await OwnThread.run {
        try CurlLibrary.open()
        let certificates = try TrustedCertificates.file(environment)
        return MailTransfer(submission).send(certificates)
      }
    } catch {
      return .later(OffersError(error).message)
    }
  }
}

/// One mail on its way. libcurl has its address while it sends.
private final class MailTransfer {
  private let submission: MailSubmission
  /// The last answer of 4xx or 5xx, without its code.
  private var refusal: (code: Int, words: String)?
  /// Whether the server's address is one that the mail may not go to.
  private var isForbidden = false

  init(_ submission: MailSubmission) { self.submission = submission }

  func send(_ certificates: String?) -> DeliveryOutcome {
    let callbacks = curl_shim_callbacks(
      header: { MailTransfer.at($0)?.receive(line: $1, $2) ?? false },
      body: { _, _, _ in true },
      connect: { MailTransfer.at($0)?.mayUse(address: $1) ?? false },
      send: { MailTransfer.at($0)?.mayUse(address: $1) ?? false })
    guard let shim = curl_shim_make(callbacks) else { return .later("Memory is short.") }
    defer { curl_shim_free(shim) }
    guard set(certificates, on: shim) else {
      return .later("libcurl refused the options of a mail.")
    }
    curl_shim_set_context(shim, Unmanaged.passUnretained(self).toOpaque())
    let code = withExtendedLifetime(self) { curl_shim_perform(shim) }
    return outcome(code, String(cString: curl_shim_failure(shim)))
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> MailTransfer? {
    context.map { Unmanaged<MailTransfer>.fromOpaque($0).takeUnretainedValue() }
  }

  private func set(_ certificates: String?, on shim: OpaquePointer) -> Bool {
    func number(_ option: CURLoption, _ value: Int) -> Bool {
      curl_shim_set_number(shim, option, value) == CURLE_OK
    }
    func text(_ option: CURLoption, _ value: String?) -> Bool {
      curl_shim_set_text(shim, option, value) == CURLE_OK
    }
    let limit = Int(DeliveryOutcome.seconds * 1000)
    guard text(CURLOPT_PROTOCOLS_STR, "smtp,smtps"), text(CURLOPT_URL, submission.server),
      text(CURLOPT_PROXY, ""), text(CURLOPT_NOPROXY, ""),
      number(CURLOPT_TIMEOUT_MS, limit), number(CURLOPT_CONNECTTIMEOUT_MS, limit / 2),
      number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
      number(CURLOPT_USE_SSL, submission.isEncrypted ? Int(CURLUSESSL_ALL.rawValue) : 0),
      text(CURLOPT_MAIL_FROM, "<\(submission.sender)>")
    else { return false }
    if let user = submission.user {
      guard text(CURLOPT_USERNAME, user), text(CURLOPT_PASSWORD, submission.password) else {
        return false
      }
    }
    if let certificates {
      guard text(CURLOPT_CAINFO, certificates), text(CURLOPT_CAPATH, nil) else { return false }
    }
    return curl_shim_add_recipient(shim, "<\(submission.receiver)>")
      && submission.mail.withUnsafeBytes { curl_shim_set_upload(shim, $0.baseAddress, $0.count) }
  }

  /// Reads a line of the server's, such as `550 5.1.1 No such user`. That of the end of the connection,
  /// 221, comes behind the one that counts.
  private func receive(line bytes: UnsafePointer<CChar>?, _ count: Int) -> Bool {
    let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    if let code = Int(line.prefix(3)), code != 221 {
      // The client goes on after some refusals, such as that of EHLO.
      refusal = (400..<600).contains(code) ? (code, String(line.dropFirst(4).prefix(500))) : nil
    }
    return true
  }

  private func mayUse(address: UnsafePointer<CChar>?) -> Bool {
    guard let address else { return false }
    if submission.mayBePrivate { return true }
    let isPublic = NetworkAddress(String(cString: address))?.isPublic ?? false
    isForbidden = isForbidden || !isPublic
    return isPublic
  }

  private func outcome(_ code: CURLcode, _ failure: String) -> DeliveryOutcome {
    if code == CURLE_OK { return .delivered }
    let host = submission.host
    if isForbidden {
      let hint = Hint(
        "Allow it", command: "offers channel edit NAME --allow-private-network")
      return .later(
        "\(host) leads to an address that is not on the public internet. \(hint.printed).")
    }
    guard let refusal, code != CURLE_OPERATION_TIMEDOUT else {
      let reason = ClientFailure(
        code: code, text: failure, isSent: false, hasHead: false, proxyStatus: 0
      ).reason
      return .later("\(host) \(Self.predicate(code, reason)).")
    }
    let reason = DeliveryOutcome.reason("\(host) answered \(refusal.code)", words: refusal.words)
    if refusal.code < 500 { return .later(reason) }
    // 552 says that the mail is too large, also in answer to its announced size.
    let isOfMail = refusal.code == 552 || refusal.code == 554 && !failure.hasPrefix("RCPT")
    let isOfPeople =
      code == CURLE_LOGIN_DENIED || failure.hasPrefix("RCPT") || failure.hasPrefix("MAIL")
    return isOfPeople && !isOfMail ? .ended(reason: reason) : .refused(reason: reason)
  }

  private static func predicate(_ code: CURLcode, _ reason: TransportFailure.Reason) -> String {
    switch (code, reason) {
    case (CURLE_USE_SSL_FAILED, _): "has no TLS, without which no mail is sent"
    case (CURLE_COULDNT_RESOLVE_HOST, _): "cannot be found"
    case (_, .unreachable), (_, .noNetwork): "cannot be reached"
    case (_, .noAnswer), (_, .stalled): "did not answer in time"
    case (_, .untrusted): "cannot be trusted: its TLS certificate or encryption is not valid"
    case (CURLE_LOGIN_DENIED, _): "does not accept a login of the kinds that this program knows"
    default: "ended the connection, or did not speak SMTP"
    }
  }
}
