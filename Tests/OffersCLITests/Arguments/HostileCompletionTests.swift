import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("Completion of hostile texts in real shells")
struct HostileCompletionTests {
  /// Combining scalars, each of which forms one `Character` with the preceding metacharacter.
  private static let marks = ["\u{301}", "\u{200D}", "\u{FE0F}"]
  private static let metacharacters =
    Array("'\"`$\\;&|<>(){}[]*?!#~=%^\n\t \r:").map(String.init) + [""]

  /// Returns offers whose ids are completed (prefix `a`) and offers whose ids are not (prefix `b`).
  /// All names are hostile, because fish and zsh get them, too.
  private static func items(_ mark: String) -> [FeedItem] {
    metacharacters.enumerated().flatMap { number, sign in
      let text = "\(sign)\(mark)$(touch made)`touch made`(touch made)\(sign)\(mark)"
      return [FeedItem("a\(number) plain", text), FeedItem("b\(number)" + text, text)]
    }
  }

  /// Returns a script that prints the shell's completions of a command line, one per line.
  private static func script(_ shell: String, _ line: String) throws -> String {
    let generate = "offers --generate-completion-script \(shell) > script && "
    switch shell {
    case "bash":
      return generate + """
        source ./script
        COMP_LINE='\(line)'; read -ra COMP_WORDS <<< "$COMP_LINE."
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_WORDS[COMP_CWORD]=${COMP_WORDS[COMP_CWORD]%.}
        COMP_POINT=${#COMP_LINE}
        _offers_with_feeds offers "${COMP_WORDS[COMP_CWORD]}" ''
        printf '%s\\n' "${COMPREPLY[@]}"
        """
    case "fish":
      return generate + """
        cat > inner <<'END'
        function fish_prompt; echo -n PROMPT; end
        source ./script
        END
        cat > driver <<'END'
        zmodload zsh/zpty
        zpty shell "fish --no-config -i -C 'source ./inner'"
        zpty -r shell seen "*PROMPT*"
        zpty -w shell "complete -C '$1' > found; echo DO''NE"
        zpty -r shell seen "*DONE*PROMPT*"
        zpty -w -n shell $1$'\\t\\C-u'
        zpty -w shell "echo EN''D"
        zpty -r shell seen "*END*"
        zpty -w shell exit
        END
        zsh -f driver '\(line)' > terminal; cut -f 1 found
        """
    default:
      // In a pseudoterminal, where a wrapper of compadd logs each completion that is added.
      return generate + """
        rm -f found
        cat > inner <<'END'
        PROMPT='PRO''MPT' PROMPT_EOL_MARK=; autoload -Uz compinit; compinit -u -D
        source ./script
        compadd() {
          local -a added; builtin compadd -A added "$@"; print -rl -- ${(Q)added} >> found
          builtin compadd "$@"
        }
        END
        cat > driver <<'END'
        zmodload zsh/zpty
        zpty shell "zsh -f -i"
        zpty -w shell "source ./inner"
        zpty -r shell seen "*PROMPT*"
        zpty -w -n shell $1$'\\t\\C-e\\C-u'
        zpty -w shell "print EN''D"
        zpty -r shell seen "*END*"
        zpty -w shell exit
        END
        zsh -f driver '\(line)' > terminal; cat found
        """
    }
  }

  private static let shells = ["bash", "zsh", "fish"]

  @Test(
    "an id or name with shell metacharacters is neither completed nor executed", arguments: shells)
  func ids(shell: String) async throws {
    let plain = Set(Self.metacharacters.indices.map { "a\($0) plain" })
    for mark in Self.marks {
      let home = try await Home(synced: Self.items(mark))
      try #require(
        home.shell("command -v zsh && command -v fish").status == 0, "Scripts/test installs them")
      let named = try home.shell(try Self.script(shell, "offers show a"))
      #expect(Set(named.output.split(separator: "\n").map(String.init)) == plain)
      _ = try home.shell(try Self.script(shell, "offers show b"))
      #expect(try home.shell("ls made").status != 0)
    }
  }

  @Test("a search with shell metacharacters is neither completed nor executed", arguments: shells)
  func searches(shell: String) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    for (number, mark) in Self.marks.enumerated() {
      let words = "tea '\(mark)$(touch made\(number))'\(mark)`touch made`"
      #expect(try home.offers("search", "tea").status == 0)
      _ = try home.offers("search", words)
      _ = try home.offers("search", "touch '\(mark)$(touch made)")
    }
    let result = try home.shell(try Self.script(shell, "offers search t"))
    #expect(Set(result.output.split(separator: "\n")) == ["tea"], "\(result.errors)")
    #expect(try home.shell("ls made*").status != 0)
  }

  @Test("an id that begins like an option is completed with its feed only")
  func options() async throws {
    let home = try await Home(synced: [FeedItem("-ofile", "Tea"), FeedItem("--config=x", "Milk")])
    let result = try home.shell(try Self.script("bash", "offers show "))
    #expect(
      result.output.split(separator: "\n").sorted() == ["ibotta:-ofile"],
      "an equals sign is more than a word to zsh")
  }

  @Test("a command that a hint suggests is quoted for the shell", arguments: marks)
  func hints(mark: String) async throws {
    let id = "x'\(mark)$(touch made)'\(mark)"
    let home = try await Home(synced: [FeedItem(id, "Tea")])
    let hint = try home.offers("open", id).errors
    let command = try #require(hint.split(separator: "offers show ").last)
    #expect(try home.shell("offers show \(command)").output.contains("Tea"))
    #expect(try home.shell("ls made").status != 0)
  }
}
