import Foundation

/// A conversion between two encodings by the system's iconv.
package final class CharsetConversion {
  /// The reason why a conversion stopped.
  package enum Stop {
    /// All bytes were converted.
    case done
    /// The remaining bytes are an incomplete character.
    case cut
    /// The remaining bytes begin with an invalid character.
    case invalid
    /// The output buffer is full.
    case full
  }

  private let descriptor: iconv_t

  /// Returns nil when the system does not know one of the names.
  package init?(from: String, to: String) {
    guard let opened = iconv_open(to, from), Int(bitPattern: opened) != -1 else { return nil }
    descriptor = opened
  }

  deinit { iconv_close(descriptor) }

  /// Resets the conversion to its initial state.
  package func reset() { iconv(descriptor, nil, nil, nil, nil) }

  /// Converts as many bytes as possible; returns how many bytes of the input were consumed, how
  /// many were written to the output, and why the conversion stopped.
  package func convert(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> (taken: Int, written: Int, stop: Stop) {
    let source = UnsafeMutableRawBufferPointer(mutating: input).bindMemory(to: CChar.self)
    return run(from: source.baseAddress, count: input.count, into: output)
  }

  /// Writes the character that iconv holds back because a following one could have combined with
  /// it; returns the number of bytes written, 0 when it holds none.
  package func flush(into output: UnsafeMutableRawBufferPointer) -> Int {
    run(from: nil, count: 0, into: output).written
  }

  private func run(
    from start: UnsafeMutablePointer<CChar>?, count: Int,
    into output: UnsafeMutableRawBufferPointer
  ) -> (taken: Int, written: Int, stop: Stop) {
    var source = start
    var sourceLeft = count
    var target = output.bindMemory(to: CChar.self).baseAddress
    var targetLeft = output.count
    // iconv flushes if the pointer to the input is null.
    let result =
      start == nil
      ? iconv(descriptor, nil, nil, &target, &targetLeft)
      : iconv(descriptor, &source, &sourceLeft, &target, &targetLeft)
    let reason = errno
    var stop = Stop.done
    if result == -1 {
      stop = reason == EINVAL ? .cut : reason == E2BIG ? .full : .invalid
    }
    return (count - sourceLeft, output.count - targetLeft, stop)
  }
}
