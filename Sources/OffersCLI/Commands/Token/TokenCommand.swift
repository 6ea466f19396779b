import ArgumentParser

/// `offers token`
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Make, list and revoke the tokens of programs.",
    discussion: """
      A program that uses "offers serve" sends a token with each request, as "Authorization: Bearer TOKEN". It acts for a \
      user, and may do what its scope and the user's role both allow.

      EXAMPLES
        offers token add "home automation"
        offers token add backup --scope sync --expires 90d --user ben
        offers token list
        offers token revoke backup --user ben
      """,
    subcommands: [
      TokenListCommand.self, TokenAddCommand.self, TokenRevokeCommand.self, TokenNewCommand.self,
    ],
    defaultSubcommand: TokenListCommand.self)
}
