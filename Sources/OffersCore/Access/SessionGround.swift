/// By what a browser logs in. It must still be true when its session is stored.
package enum SessionGround: Sendable {
  /// The stored passphrase of the user that has been compared.
  case passphrase(PassphraseHash)
  /// An identity of the user.
  case identity(Identity)
  /// The access of the user who lets the browser in.
  case invitation(WritePermit)
  /// A token outside of the store.
  case token
}
