/** Links by mail: what is sent, and what the answer says if the SMTP server refuses. */
import assert from "node:assert/strict";
import { startServer } from "../../stage/harness.ts";
import { until } from "../../stage/until.ts";
import { decoded, smtpStandIn } from "../../stage/network/smtp_stand_in.ts";
import { testBeside } from "../../stage/scenario.ts";

testBeside({
  name: "mail: links are sent where SMTP_URL is set; a failure leaves the invitation, the link and a line in the log",
  async fn() {
    await using smtp = smtpStandIn();
    const server = await startServer({ SMTP_URL: smtp.url });
    try {
      const invite = (fields: Record<string, unknown>) =>
        server.request("POST", "/account/invitations.json", { json: { invitation: fields } });
      const sent = await invite({ email: "grace@people.test", name: "Grace <b>\r\nBcc: eve@evil.test" });
      assert.deepEqual([sent.status, sent.body.mail, sent.body.url], [201, "sent", null], JSON.stringify(sent.body));
      const [mail] = smtp.mails;
      assert.deepEqual(mail?.to, ["grace@people.test"]);
      const text = decoded(mail?.text ?? "");
      assert.match(text, /^From: Atrium <atrium@atrium\.test>$/m);
      assert.match(text, /^Subject: Admin invites you$/m);
      const [head = ""] = mail?.text.split("\n\n") ?? [];
      assert.doesNotMatch(head, /^Bcc:/m);
      assert.match(text, /Grace &lt;b&gt;/);
      const [link, again] = [...text.matchAll(/http:\/\/atrium\.test\/invitation\?secret=([\w-]{43})/g)];
      assert.equal(again?.[1], link?.[1], "in plain text and in HTML");
      const page = await server.request("GET", `/invitation?secret=${link?.[1]}`, { token: null });
      assert.equal(page.status, 200);
      assert.ok(!server.logged.some((line) => line.includes(`${link?.[1]}`)));

      const shown = await invite({ email: "shown@people.test", send_mail: false });
      assert.deepEqual([shown.body.mail, smtp.mails.length], ["off", 1]);
      assert.match(shown.body.url, /secret=/);

      const reset = await server.request("POST", "/account/user_settings/1/password_reset.json", { json: {} });
      assert.deepEqual([reset.status, reset.body.mail, reset.body.url], [201, "sent", null]);
      assert.match(decoded(smtp.mails[1]?.text ?? ""), /\/password_reset\?secret=[\w-]{43}/);

      smtp.refuse();
      const failed = await invite({ email: "failed@people.test" });
      assert.deepEqual([failed.status, failed.body.mail], [201, "failed"]);
      assert.match(failed.body.url, /secret=/);
      await until(() => server.logged.some((line) => line.includes('"mail not sent"')), "the failure is logged");
      const renewed = await server.request("POST", `/account/invitations/${failed.body.id}/renew.json`, { json: {} });
      assert.deepEqual([renewed.status, renewed.body.mail], [201, "failed"]);
      assert.match(renewed.body.url, /secret=/);
      const listed = await server.request("GET", "/account/invitations.json");
      assert.equal(listed.body.length, 3);
    } finally {
      await server.close();
    }
  },
});
