import Foundation
import OffersTestSupport
import Testing

@Suite("Scripts")
struct ScriptTests {
  @Test("An installation runs from its folder, and its removal keeps other files")
  func install() throws {
    let home = try Home()
    let run = "OFFERS_PROGRAM='\(OffersProgram.path)' '\(PackageFolder.file("Scripts/install"))'"
    try home.folder.write("mine", to: "mine")
    let installed = try home.shell("mkdir -p p/bin && mv mine p/bin && \(run) \"$PWD/p\"")
    #expect(installed.status == 0, "\(installed.errors)")
    #expect(try home.shell("p/bin/offers --version").status == 0)
    #expect(try home.shell("grep -c . p/share/man/man1/offers.1").status == 0)
    #expect(try home.shell("bash -n p/share/bash-completion/completions/offers").status == 0)
    #expect(try home.shell("\(run) --remove \"$PWD/p\"").status == 0)
    #expect(try home.shell("find p -type f").output == "p/bin/mine\n")
    #expect(try home.shell("\(run) --nonsense").status == 1)
  }

  @Test(
    "The Debian package has the program, its files and its dependencies",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dpkg-deb")))
  func package() throws {
    let home = try Home()
    // A small program stands in for the real one, which takes long to compress.
    try home.folder.write(
      """
      #include <stdio.h>
      #include <string.h>
      int main(int count, char **words) {
        return puts(count > 1 && strcmp(words[1], "--version") == 0 ? "1.2" : "text") < 0;
      }
      """, to: "small.c")
    let made = try home.shell(
      "cc -o small small.c && OFFERS_PROGRAM=\"$PWD/small\" "
        + "'\(PackageFolder.file("Scripts/package"))' \"$PWD\"")
    #expect(made.status == 0, "\(made.errors)")
    let package = made.output.trimmingCharacters(in: .newlines)
    #expect(package.hasPrefix(home.folder.path + "/offers_") && package.hasSuffix(".deb"))
    let files = try home.shell("dpkg-deb -c '\(package)' | awk '!/\\/$/ {print $6}' | sort").output
    #expect(
      files == """
        ./usr/bin/offers
        ./usr/lib/systemd/system/offers-backup.service
        ./usr/lib/systemd/system/offers-backup.timer
        ./usr/lib/systemd/system/offers-serve.service
        ./usr/lib/systemd/system/offers-sync.service
        ./usr/lib/systemd/system/offers-sync.timer
        ./usr/lib/systemd/user/offers-sync.service
        ./usr/lib/systemd/user/offers-sync.timer
        ./usr/share/bash-completion/completions/offers
        ./usr/share/doc/offers/Commands.md.gz
        ./usr/share/doc/offers/Definitions.md.gz
        ./usr/share/doc/offers/Documents.md.gz
        ./usr/share/doc/offers/Feeds.md.gz
        ./usr/share/doc/offers/Format.md.gz
        ./usr/share/doc/offers/Limits.md.gz
        ./usr/share/doc/offers/Operating.md.gz
        ./usr/share/doc/offers/PostgreSQL.md.gz
        ./usr/share/doc/offers/Proxies.md.gz
        ./usr/share/doc/offers/README.md.gz
        ./usr/share/doc/offers/Server.md.gz
        ./usr/share/doc/offers/Using.md.gz
        ./usr/share/doc/offers/changelog.gz
        ./usr/share/doc/offers/copyright
        ./usr/share/doc/offers/examples/Caddyfile
        ./usr/share/doc/offers/examples/Caddyfile-login
        ./usr/share/doc/offers/examples/Caddyfile-path
        ./usr/share/doc/offers/examples/apache-login.conf
        ./usr/share/doc/offers/examples/apache-path.conf
        ./usr/share/doc/offers/examples/apache.conf
        ./usr/share/doc/offers/examples/nginx-login.conf
        ./usr/share/doc/offers/examples/nginx-path.conf
        ./usr/share/doc/offers/examples/nginx.conf
        ./usr/share/doc/offers/offers.spdx.json
        ./usr/share/fish/vendor_completions.d/offers.fish
        ./usr/share/man/man1/offers.1.gz
        ./usr/share/zsh/vendor-completions/_offers

        """)
    #expect(try home.shell("dpkg-deb -f '\(package)' Version").output == "1.2\n")
    #expect(
      try home.shell("dpkg-deb -f '\(package)' Recommends").output.contains(" libpq5, "))
    try checkMaintainerScripts(of: package, in: home)
    let unit = try home.shell(
      "dpkg-deb --fsys-tarfile '\(package)' "
        + "| tar -xO ./usr/lib/systemd/user/offers-sync.service"
    ).output
    #expect(unit.contains("\nExecStart=/usr/bin/offers sync --due --news\n"))
    #expect(!unit.contains("DATA") && !unit.contains("COMMAND"))
    // No other program's data can be written, even before the first sync.
    #expect(unit.contains("\nReadWritePaths=-%h/.local/share/offers\n"))
    #expect(unit.contains("\nExecStartPre=+/usr/bin/mkdir -p -m 700 %h/.local/share/offers\n"))
    let list = try home.shell(
      "dpkg-deb --fsys-tarfile '\(package)' "
        + "| tar -xO ./usr/share/doc/offers/offers.spdx.json"
    ).output
    let packages = try #require(try Home.parse(list)["packages"] as? [[String: Any]])
    let versions = Dictionary(
      packages.map { ($0["name"] as? String ?? "", $0["versionInfo"] as? String ?? "") },
      uniquingKeysWith: { one, _ in one })
    #expect(versions["offers"] == "1.2")
    for name in ["GRDB.swift", "swift-nio-ssl", "hummingbird", "swift-nio", "swift-runtime"] {
      #expect(versions[name]?.first?.isNumber == true, "\(name)")
    }
    #expect(versions["libc6"]?.hasPrefix(">= ") == true)
    let symbols = try home.shell(
      "mkdir out && dpkg-deb -x '\(package)' out && nm out/usr/bin/offers 2>&1")
    #expect(symbols.output.contains("no symbols"))
  }

  /// Runs the maintainer scripts of a package with a systemctl that only tells how it was called.
  private func checkMaintainerScripts(of package: String, in home: Home) throws {
    let ran = try home.shell(
      """
      dpkg-deb -e '\(package)' scripts && mkdir running tools
      printf '#!/bin/sh\necho systemctl "$@"\n' > tools/systemctl && chmod 755 tools/systemctl
      sed -i "s|/run/systemd/system|$PWD/running|" scripts/postinst scripts/prerm scripts/postrm
      PATH=$PWD/tools:$PATH
      for call in 'postinst configure' 'prerm upgrade 1.3' 'postinst configure 1.1' 'prerm remove' \
        'postrm remove' 'postrm purge'; do
        echo "$call:"; scripts/$call
      done
      rmdir running; scripts/postinst configure 1.1
      """)
    #expect(ran.errors == "")
    #expect(
      ran.output == """
        postinst configure:
        systemctl daemon-reload
        prerm upgrade 1.3:
        postinst configure 1.1:
        systemctl daemon-reload
        systemctl try-restart offers-serve.service
        prerm remove:
        systemctl disable --now offers-serve.service offers-sync.timer offers-backup.timer
        postrm remove:
        systemctl daemon-reload
        postrm purge:

        """)
  }
}
