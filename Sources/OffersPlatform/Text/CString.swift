#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

extension UnsafeRawBufferPointer {
  /// The bytes of a C string without its terminating NUL.
  @inlinable
  package init(cString: UnsafePointer<CChar>) {
    self.init(start: cString, count: strlen(cString))
  }
}
