/// Tells whether sites allow pages of other sites to show them in a frame.
package protocol FramingSource: Sendable {
  /// Asks a site for its page, as a browser would.
  ///
  /// - Parameters:
  ///   - url: the http or https URL of the page.
  ///   - origin: the scheme, host and port of the page with the frame.
  /// - Returns: whether the site refuses the frame; nil if that cannot be found out.
  func refusesFrame(_ url: String, in origin: String) async -> Bool?
}
