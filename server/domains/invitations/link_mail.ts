/** The mail with a link that can be used once. */
import { escapeHtml } from "../../input/html.ts";

export interface LinkMail {
  account: string;
  url: string;
  subject: string;
  /** Sentences before the link. */
  sentences: string[];
  /** What the link does, as a button says it. */
  button: string;
  /** Until when it can be used, for people. */
  valid: string;
}

export function linkMail({ account, url, subject, sentences, button, valid }: LinkMail) {
  const after = `The link can be used once, within ${valid}. If you did not expect this mail, ignore it.`;
  const paragraphs = sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join("\n");
  return {
    subject,
    text: [...sentences, url, after, account].join("\n\n") + "\n",
    html: `<!doctype html>
<html lang="en">
<body style="font:15px/22px sans-serif">
${paragraphs}
<p><a href="${escapeHtml(url)}">${escapeHtml(button)}</a></p>
<p>${escapeHtml(after)}</p>
<p>${escapeHtml(account)}</p>
</body>
</html>
`,
  };
}
