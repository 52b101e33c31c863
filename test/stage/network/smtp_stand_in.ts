/** An SMTP server on this machine that keeps the mails it takes. */

export interface SmtpStandIn extends AsyncDisposable {
  url: string;
  /** As sent: the recipients of the envelope, and headers with body. */
  mails: { to: string[]; text: string }[];
  /** From now on every mail is refused. */
  refuse(): void;
}

export function smtpStandIn(): SmtpStandIn {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const mails: SmtpStandIn["mails"] = [];
  const open = new Set<Deno.Conn>();
  let refuses = false;

  async function talk(connection: Deno.Conn): Promise<void> {
    open.add(connection);
    const writer = connection.writable.getWriter();
    const say = (line: string) => writer.write(new TextEncoder().encode(`${line}\r\n`));
    let to: string[] = [];
    let data: string[] | undefined;
    await say("220 stand-in");
    for await (const line of linesOf(connection)) {
      if (data && line !== ".") data.push(line.replace(/^\./, ""));
      else if (data) {
        mails.push({ to, text: data.join("\n") });
        [to, data] = [[], undefined];
        await say("250 taken");
      } else if (/^DATA$/i.test(line)) {
        data = refuses ? undefined : [];
        await say(refuses ? "554 refused" : "354 go on");
      } else if (/^QUIT$/i.test(line)) {
        await say("221 bye");
        return connection.close();
      } else {
        to.push(...[...line.matchAll(/^RCPT TO:<([^>]*)>/gi)].map(([, address = ""]) => address));
        await say("250 ok");
      }
    }
  }

  const serving = (async () => {
    for await (const connection of listener) {
      void talk(connection).catch(() => {}).finally(() => open.delete(connection));
    }
  })();

  return {
    url: `smtp://127.0.0.1:${listener.addr.port}`,
    mails,
    refuse: () => void (refuses = true),
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) close(connection);
      await serving.catch(() => {});
    },
  };
}

async function* linesOf(connection: Deno.Conn): AsyncGenerator<string> {
  let rest = "";
  for await (const text of connection.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\r\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

/** The body of a mail's part, decoded from quoted-printable. */
export const decoded = (mail: string) =>
  mail.replaceAll("=\n", "").replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
