import OffersCore

extension ChannelKind {
  static let command = ChannelKind(
    name: "command",
    summary: "runs a program of yours, with the message as JSON on its standard input",
    example: "/home/ann/bin/tell", options: [], takesWords: true
  ) { kind, values, tools in
    CommandChannel(
      words: values.words, secrets: values.secrets, run: try kind.required(tools.run))
  }
}

/// Runs a program of the user's, with the message as one JSON document on its standard input.
///
/// No shell reads the words, and none of them comes from a message. The program has an environment as cron's, and
/// is ended after 30 seconds with the programs that it has started. Exit status 0 is a delivery; 75
/// (`EX_TEMPFAIL` of sysexits.h), any other status and a signal are tried again.
struct CommandChannel: NoticeChannel {
  let words: [String]
  let secrets: SecretRedactor
  let run: ChannelTools.Runner

  func deliver(_ message: NoticeMessage) async -> DeliveryOutcome {
    await run(words, Array((message.json + "\n").utf8)).hiding(secrets)
  }
}
