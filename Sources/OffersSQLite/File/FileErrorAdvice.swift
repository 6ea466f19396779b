import Foundation
import OffersCore

/// The advice for a failed call of the system on a database's file.
enum FileErrorAdvice {
  /// The advice for the value of `errno`.
  ///
  /// - Parameters:
  ///   - number: the value of `errno`.
  ///   - otherwise: the advice for a matter of permissions or of the path.
  static func advice(on number: Int32, otherwise: Hint) -> Hint {
    switch number {
    case ENOSPC, EDQUOT: "Make room, then try again."
    case EIO: "The disk may be failing. Check it and its cable or network, then try again."
    case EMFILE, ENFILE:
      .allowOpenFiles
    case ENOMEM: "Close other programs, then try again."
    default: otherwise
    }
  }

  static func text(of number: Int32) -> String { String(cString: strerror(number)) }
}
