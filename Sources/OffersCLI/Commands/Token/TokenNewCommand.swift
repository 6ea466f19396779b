import ArgumentParser
import Foundation
import OffersCore
import OffersPlatform
import OffersServer
import OffersSync

/// `offers token new`
struct TokenNewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Make a new file with a token of 256 random bits.",
    discussion: """
      Only you can read the file; a file that exists already is left untouched. To change the \
      token of a running server, replace its file by another: the server notices, and everybody \
      has to log in again. The service of the Debian package reads a copy of the file, which \
      systemd makes at its start: restart it after a change.

      EXAMPLES
        offers token new ~/.config/offers/token
        offers token new new-token && mv new-token ~/.config/offers/token
      """)

  @Argument(help: "The file to make.", completion: .file())
  var file: String

  @Flag(name: .long, help: "Print one JSON document, without the token.")
  var json = false

  func run() async throws {
    try Self.make(file)
    let word = ShellQuoting.word(file)
    if json {
      return try Output.printData(
        JSONWriter.document { json in
          json.member("path", file)
          json.member("bits", APITokenText.byteCount * 8)
        })
    }
    try Output.print(.line("\(file): a token of \(APITokenText.byteCount * 8) bits"))
    try Output.print("Serve with it:  offers serve --host ADDRESS --token-file \(word)")
    try Output.print("Show it, to type it into the login page:  cat \(word)")
  }

  private static let hint = "Check the folder, its permissions and its free space."

  /// Makes the file durably, with mode 0600.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if it exists, with `storageFailed` if it cannot be
  ///   written.
  private static func make(_ path: String) throws {
    do {
      try FileOperations.makeFolders(of: path)
    } catch {
      throw AtomicFile.failure(path, hint, error.number)
    }
    var facts = stat()
    if lstat(path, &facts) == 0 {
      throw OffersError(
        .invalidRequest, "\(path) exists already. It was left untouched.",
        hint: "Name another file.")
    }
    let file = try AtomicFile(watched: path, hint: hint)
    var line = try APITokenText.randomText() + "\n"
    try line.withUTF8 { try file.append(UnsafeRawBufferPointer($0)) }
    try file.commit(isPrivate: true, isNew: true)
  }
}
