import Foundation

extension UnsafeRawBufferPointer {
  /// The bytes of a C string without its terminating NUL.
  @inlinable
  package init(cString: UnsafePointer<CChar>) {
    self.init(start: cString, count: strlen(cString))
  }
}
