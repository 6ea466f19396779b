import Foundation
import OffersTestSupport
import TestStores
import Testing

/// Creates devices only in the test's own folder, and never names one of the machine's.
@Suite("The files that commands write")
struct OutputFileTests {
  /// Kinds of files that must not be replaced, which are also the names of the files.
  private static let kinds = [
    "pipe", "folder", "socket", "device", "link-to-pipe", "link-to-device",
  ]

  /// - Returns: Whether the file could be created. A device requires root, and a system that
  ///   permits it.
  private static func make(_ kind: String, in home: Home) throws -> Bool {
    let path = home.folder.file(kind)
    switch kind {
    case "pipe": return mkfifo(path, 0o600) == 0
    case "folder": return mkdir(path, 0o700) == 0
    // The device numbers of /dev/null.
    case "device": return mknod(path, S_IFCHR | 0o600, 1 << 8 | 3) == 0
    case "socket": return mknod(path, S_IFSOCK | 0o600, 0) == 0
    default:
      let target = String(kind.dropFirst("link-to-".count))
      return try make(target, in: home) && symlink(target, path) == 0
    }
  }

  private static func kind(_ path: String) -> mode_t {
    var information = stat()
    return lstat(path, &information) == 0 ? information.st_mode & S_IFMT : 0
  }

  @Test(
    "image, export and backup do not replace a file that is not regular",
    arguments: kinds)
  func refuses(kind: String) async throws {
    let server = try ImageServer()
    let home = try await Home(synced: [FeedItem("1", "Tea", image: server.url("1"))])
    guard try Self.make(kind, in: home) else { return }
    let path = home.folder.file(kind)
    let before = Self.kind(path)
    for words in [
      ["image", "1", "--allow-private-network", "-o", path],
      ["export", "-o", path], ["backup", path], ["backup", "--force", path],
    ] {
      let result = try await home.call(words)
      #expect(result.status != 0, "\(words)")
      #expect(result.errors != "", "\(words)")
      #expect(Self.kind(path) == before, "\(words)")
    }
    let left = try home.files
    #expect(!left.contains { $0.contains(".new-") })
  }

  @Test("image replaces no database, keeps a file's mode, and creates files with the umask's mode")
  func images() async throws {
    let server = try ImageServer()
    let home = try await Home(synced: [FeedItem("1", "Tea", image: server.url("1"))])
    let image = "offers image 1 --allow-private-network -o"
    if TestStore.isFile { #expect(try home.shell("\(image) offers.sqlite").status == 64) }
    #expect(try await home.call("list").output.contains("Tea"))
    let modes = try home.shell(
      """
      umask 027; \(image) new.png && touch old.png && chmod 604 old.png && \(image) old.png &&
      ln -s target.png link.png && \(image) link.png && stat -c '%a %F' new.png old.png link.png
      """)
    #expect(modes.output == "640 regular file\n604 regular file\n777 symbolic link\n")
    #expect(try home.shell("cmp new.png target.png").status == 0)
  }
}
