import ArgumentParser
import OffersCore

/// The script that makes bash complete the program's arguments. ArgumentParser makes those for zsh
/// and fish.
enum CompletionScript {
  /// ArgumentParser's script for bash, with an added function that rejoins the words that bash
  /// splits.
  ///
  /// bash splits a word at colons (`COMP_WORDBREAKS`), so that it would complete `ibotta:110579` as
  /// three words.
  ///
  /// - Parameter program: the command of the program itself.
  static func bash(of program: any ParsableCommand.Type) -> String {
    let script = program.completionScript(for: .bash)
    let registration = "complete -o filenames -F _offers offers"
    let joined = joining + registration + "_with_feeds offers"
    return script.replacing(bytes: registration, with: joined)
      .replacing(bytes: "_offers offers_with_feeds offers", with: "_offers_with_feeds offers")
  }

  private static let joining = #"""
    # Joins the words that bash splits at colons, as in ibotta:110579, and completes the result.
    _offers_with_feeds() {
        local -a joined=()
        local -i index place=0
        for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
            if ((index > 1)) && [[ ${COMP_WORDS[index]} == :* || ${COMP_WORDS[index - 1]} == *: ]]; then
                joined[${#joined[@]} - 1]+=${COMP_WORDS[index]}
            else
                joined+=("${COMP_WORDS[index]}")
            fi
            if ((index == COMP_CWORD)); then place=$((${#joined[@]} - 1)); fi
        done
        local -r split=${2}
        local -a COMP_WORDS=("${joined[@]}")
        local -i COMP_CWORD=${place}
        local -r word=${COMP_WORDS[COMP_CWORD]:-}
        _offers "${1}" "${word}" "${COMP_WORDS[COMP_CWORD - 1]:-}"
        # bash replaces only the text after the last colon.
        if [[ ${word} == *:* && ${split} != *:* ]]; then
            COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}")
        fi
    }


    """#
}
