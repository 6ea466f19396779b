import Foundation

/// A failed call of the system: its `errno` and the operation.
///
/// The only error that leaves this module, except `AddressLookup.Failure`. The other modules
/// translate it into an `OffersError`, whose message says what was attempted.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The value of `errno`, such as `ENOENT`.
  package let number: Int32
  /// The name of the call, such as `open`.
  package let operation: String

  package init(_ number: Int32, _ operation: String) {
    self.number = number
    self.operation = operation
  }

  /// The error of the call that has just failed. No other call may come in between, because it
  /// could change `errno`.
  package static func last(_ operation: String) -> SystemError { SystemError(errno, operation) }

  /// The system's text for the number, such as `No such file or directory`.
  package var text: String { String(cString: strerror(number)) }

  package var description: String { "\(operation): \(text)" }
}

extension UnsafeRawBufferPointer {
  /// The bytes of a C string without its terminating NUL.
  @inlinable
  package init(cString: UnsafePointer<CChar>) {
    self.init(start: cString, count: strlen(cString))
  }
}
