/// Takes the elements and texts of an XML document in their order.
///
/// Names come in canonical form, see `XMLNamespaces`. All bytes are UTF-8 and valid during the call
/// only. What a method throws ends the reading.
package protocol XMLTokenHandler: AnyObject {
  /// An element begins.
  func start(_ name: UnsafeRawBufferPointer, _ attributes: XMLAttributes) throws
  /// Text within the present element. One text may come in several pieces.
  func text(_ text: UnsafeRawBufferPointer) throws
  /// The present element ends.
  func end(_ name: UnsafeRawBufferPointer) throws
}
