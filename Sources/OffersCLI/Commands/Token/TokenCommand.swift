import ArgumentParser

/// `offers token`
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Make the secret with which others use \"offers serve\".",
    discussion: """
      A server that other machines can reach requires a token. A program sends it with each \
      request; a person types it once into the login page.

      EXAMPLES
        offers token new ~/.config/offers/token
        offers serve --host 192.168.1.5 --token-file ~/.config/offers/token
      """,
    subcommands: [TokenNewCommand.self])
}
