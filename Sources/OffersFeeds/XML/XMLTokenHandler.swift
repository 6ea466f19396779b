/// Receives the elements and texts of an XML document, in document order.
///
/// Names are canonical, see `XMLNamespaces`. All bytes are UTF-8 and valid during the call only. An
/// error that a method throws ends the reading.
package protocol XMLTokenHandler: AnyObject {
  /// Called at the start of an element.
  func start(_ name: UnsafeRawBufferPointer, _ attributes: XMLAttributes) throws
  /// Called for text within the current element. A text may be divided into several calls.
  func text(_ text: UnsafeRawBufferPointer) throws
  /// Called at the end of the current element.
  func end(_ name: UnsafeRawBufferPointer) throws
}
