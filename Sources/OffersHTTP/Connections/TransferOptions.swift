import CurlShim
import OffersSync

/// The options of libcurl for a transfer.
enum TransferOptions {
  /// libcurl's buffer for received bytes.
  private static let bufferBytes = 64 << 10

  /// Sets the options of a plan.
  ///
  /// - Returns: false if memory is short.
  static func set(_ plan: TransferPlan, on shim: OpaquePointer) -> Bool {
    let request = plan.request
    guard setText(CURLOPT_URL, request.url.absoluteString, shim),
      setNumber(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS, shim),
      setNumber(CURLOPT_BUFFERSIZE, bufferBytes, shim),
      setNumber(CURLOPT_CONNECTTIMEOUT_MS, Int(plan.connectSeconds * 1000), shim)
    else { return false }
    if let body = request.body {
      let isSet = body.withUnsafeBytes { curl_shim_set_post(shim, $0.baseAddress, $0.count) }
      guard isSet == CURLE_OK else { return false }
    }
    return setHeaders(request.headers, shim) && setTrust(plan, shim) && setRoute(plan, shim)
  }

  /// The fields of the request, and none of those that libcurl adds by itself.
  private static func setHeaders(_ fields: [HeaderField], _ shim: OpaquePointer) -> Bool {
    let names = Set(fields.map { $0.name.lowercased() })
    let own = ["accept", "content-type", "expect"].filter { !names.contains($0) }.map { "\($0):" }
    // A semicolon in place of the colon sends a field without a value.
    let lines = fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    return (own + lines).allSatisfy { curl_shim_add_header(shim, $0) }
  }

  /// TLS of version 1.2 or newer, by the certificates of the plan. The folder of the system's
  /// certificates is not used: with it, libcurl would read the file of them for each connection.
  private static func setTrust(_ plan: TransferPlan, _ shim: OpaquePointer) -> Bool {
    let version = Int(CURL_SSLVERSION_TLSv1_2)
    guard setNumber(CURLOPT_SSLVERSION, version, shim),
      setNumber(CURLOPT_PROXY_SSLVERSION, version, shim),
      setText(CURLOPT_CAPATH, nil, shim), setText(CURLOPT_PROXY_CAPATH, nil, shim)
    else { return false }
    guard let file = plan.certificates else { return true }
    return setText(CURLOPT_CAINFO, file, shim) && setText(CURLOPT_PROXY_CAINFO, file, shim)
  }

  /// The proxy, or the addresses of the host. Empty texts keep libcurl from looking at the environment.
  private static func setRoute(_ plan: TransferPlan, _ shim: OpaquePointer) -> Bool {
    guard setText(CURLOPT_NOPROXY, "", shim), setText(CURLOPT_PROXY, plan.proxy?.text ?? "", shim)
    else { return false }
    if plan.proxy != nil {
      guard setNumber(CURLOPT_HTTPPROXYTUNNEL, 1, shim) else { return false }
    }
    guard !plan.addresses.isEmpty else { return true }
    let origin = HTTPOrigin(plan.request.url)
    // Of a name with a final dot, some versions of libcurl look up the name with the dot, others without.
    let bare = origin.host.hasSuffix(".") ? String(origin.host.dropLast()) : origin.host
    return [bare, bare + "."].allSatisfy { name in
      curl_shim_set_addresses(shim, plan.addressLine(for: name, port: origin.port))
    }
  }

  private static func setNumber(_ option: CURLoption, _ value: Int, _ shim: OpaquePointer) -> Bool {
    curl_shim_set_number(shim, option, value) == CURLE_OK
  }

  private static func setText(
    _ option: CURLoption, _ value: String?, _ shim: OpaquePointer
  ) -> Bool {
    curl_shim_set_text(shim, option, value) == CURLE_OK
  }
}
