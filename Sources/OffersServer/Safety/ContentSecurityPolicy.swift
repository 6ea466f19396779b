/// The content of other servers that a page may load.
enum ContentSecurityPolicy: Hashable, Sendable {
  /// Nothing.
  case ownContent
  /// Other sites, in a frame.
  case frames
  /// Images of one other server, given as a scheme, a host and maybe a port.
  case images(from: String)
}
