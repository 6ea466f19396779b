import Glibc

/// An open conversion between two encodings by the system's iconv.
final class CharsetConversion {
  /// Why a conversion stopped.
  enum Stop {
    /// All was taken.
    case done
    /// The bytes not taken are the start of a character.
    case cut
    /// The bytes not taken begin with what is no character.
    case invalid
    /// There is no room for more.
    case full
  }

  private let descriptor: iconv_t

  /// Nil when the system does not know one of the names.
  init?(from: String, to: String) {
    guard let opened = iconv_open(to, from), Int(bitPattern: opened) != -1 else { return nil }
    descriptor = opened
  }

  deinit { iconv_close(descriptor) }

  /// Goes back to the start of a text.
  func reset() { iconv(descriptor, nil, nil, nil, nil) }

  /// Converts as much as it can.
  func convert(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> (taken: Int, written: Int, stop: Stop) {
    let source = UnsafeMutableRawBufferPointer(mutating: input).bindMemory(to: CChar.self)
    return run(from: source.baseAddress, count: input.count, into: output)
  }

  /// Writes what was kept back until it was known that nothing follows.
  func flush(into output: UnsafeMutableRawBufferPointer) -> Int {
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
    // The pointer itself must be nil to flush.
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
