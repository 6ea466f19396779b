import LibCrypto

/// The version of the libcrypto that the dynamic linker loaded, which may be newer than the one that the
/// program was compiled with.
package enum LibCryptoVersion {
  /// The version, such as `3.0.22`.
  package static var text: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }
}
