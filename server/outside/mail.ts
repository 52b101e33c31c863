/** Sends mail by SMTP. The library is loaded with the first mail. */
import type { Config } from "../config.ts";

export interface Mail {
  to: { name: string; address: string };
  subject: string;
  /** The same in plain text and in HTML. */
  text: string;
  html: string;
}

export interface Mailer {
  /** @throws {Error} if the SMTP server cannot be reached or does not take the mail */
  send(mail: Mail): Promise<void>;
}

/** For the connection, for the greeting, and for each answer of the SMTP server. */
const PATIENCE_MS = 10_000;
/** For a mail altogether: a request waits for it. */
const LONGEST_MS = 20_000;

/** @returns undefined if no SMTP server is configured, or if the server has no effects */
export function createMailer(
  { smtp_url, mail_from, has_effects }: Pick<Config, "smtp_url" | "mail_from" | "has_effects">,
): Mailer | undefined {
  if (smtp_url === undefined || !has_effects) return undefined;
  return {
    async send(mail) {
      const { createTransport } = await import("nodemailer");
      const transport = createTransport({
        url: smtp_url,
        connectionTimeout: PATIENCE_MS,
        greetingTimeout: PATIENCE_MS,
        socketTimeout: PATIENCE_MS,
        dnsTimeout: PATIENCE_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const { promise: late, reject } = Promise.withResolvers<never>();
      const limit = setTimeout(() => reject(new Error(`the mail was not taken within ${LONGEST_MS} ms`)), LONGEST_MS);
      try {
        await Promise.race([transport.sendMail({ from: mail_from, ...mail }), late]);
      } finally {
        clearTimeout(limit);
        transport.close();
      }
    },
  };
}
