/**
 * Links that sign a person in once, to choose a password. The link alone suffices, so only the SHA-256 of its
 * secret is stored.
 */
import { z } from "zod";
import type { Context } from "../../context.ts";
import { faultOf } from "../../log.ts";
import type { Mail } from "../../outside/mail.ts";
import { findAccountSite } from "../account/queries.ts";
import { originOf } from "../account/site.ts";
import { type LinkMail, linkMail } from "./link_mail.ts";

/** What happened to the mail with a link. */
export const Delivery = z.object({
  url: z.string().nullable().describe(
    "The link, to pass on. Null if it was sent by mail: then only the mailbox's owner has it. It is never shown again",
  ).meta({ examples: ["https://atrium.example.com/invitation?secret=…"] }),
  mail: z.enum(["sent", "failed", "off"]).describe(
    "off: the server has no `SMTP_URL`, or `send_mail` was false; failed: the SMTP server did not take the mail",
  ),
});
export type Delivery = z.output<typeof Delivery>;

export const SendMail = z.boolean().default(true).describe("False puts the link into the answer instead of a mail")
  .meta({ examples: [true] });

type Page = "/invitation" | "/password_reset";

/** Sends the link, or returns it where it was not sent. A failure of the mail is logged. */
export async function deliverLink(
  ctx: Context,
  page: Page,
  secret: string,
  send_mail: boolean,
  mail: { to: Mail["to"] } & Omit<LinkMail, "account" | "url">,
): Promise<Delivery> {
  const { mailer, call, viewer: { account_id }, log, sql, config } = ctx;
  const site = await findAccountSite(sql, account_id);
  const url = `${originOf(config.base_url, site?.host ?? null)}${page}?secret=${secret}`;
  if (!mailer || !send_mail) return { url, mail: "off" };
  try {
    await mailer.send({ to: mail.to, ...linkMail({ ...mail, account: site?.name ?? "Atrium", url }) });
    return { url: null, mail: "sent" };
  } catch (error) {
    log.warn("mail not sent", { request_id: call.request_id, account: account_id, ...faultOf(error) });
    return { url, mail: "failed" };
  }
}
