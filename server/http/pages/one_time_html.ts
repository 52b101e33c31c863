/** The HTML of the pages behind links that can be used once. They work without JavaScript. */
import { text } from "./page_html.ts";
import { page, type SignInParts } from "./sign_in/sign_in_html.ts";

/** Why the form is shown again. */
export interface Fault {
  /** The field to change; undefined if none helps. */
  field: "name" | "password" | undefined;
  /** A sentence. */
  text: string;
}

export interface OneTimeParts extends SignInParts {
  /** Of the page, without its query. */
  path: string;
  title: string;
  /** Who chooses a password. */
  name: string;
  /** Whether the person may change it. */
  takes_name: boolean;
  /** What password managers store with the password. */
  login: string;
  secret: string;
  button: string;
  fault: Fault | undefined;
  /** What people call the OpenID provider with which the invitation can be accepted. */
  provider: string | undefined;
  /** Whether a password is of no use: members sign in with the provider only. */
  oidc_only: boolean;
}

export function oneTimeHtml(parts: OneTimeParts): string {
  const { path, title, name, takes_name, login, secret, button, fault, provider, oidc_only } = parts;
  const said = fault ? `<p class="fault" id="fault" role="alert">${text(fault.text)}</p>\n` : "";
  const other = provider === undefined
    ? ""
    : `<a class="to" href="${text(`/sign_in/oidc?invitation=${encodeURIComponent(secret)}`)}">Accept with ${
      text(provider)
    }</a>\n`;
  if (oidc_only) return page(title, parts, `<p>Hello ${text(name)}.</p>\n${said}${other}`);
  /** The field to change has the focus, too. */
  const marks = (field: Fault["field"]) =>
    (fault?.field === field ? ` aria-describedby="fault" aria-invalid="true"` : "") +
    ((fault?.field ?? "password") === field ? " autofocus" : "");
  const named = takes_name ? nameField(name, login, marks("name")) : "";
  const marked = marks("password");
  return page(
    title,
    parts,
    `<p>Hello ${text(name)}. Choose a password to sign in.</p>
${said}<form method="post" action="${text(path)}">
<label>Login<input name="login" value="${text(login)}" autocomplete="username" readonly></label>
${named}<label>New password<input name="password" type="password" autocomplete="new-password" minlength="8" maxlength="1024" required${marked}></label>
<input type="hidden" name="secret" value="${text(secret)}">
<button>${text(button)}</button>
</form>
<p class="note">At least 8 characters. Four unrelated words are easy to remember and hard to guess.</p>
${other}`,
  );
}

/** An inviter who gives no name invites an address: the person's own name is better than that. */
const nameField = (name: string, login: string, marks: string): string =>
  `<label>Name, as others see it<input name="name" value="${
    text(name === login ? "" : name)
  }" autocomplete="name" maxlength="255" placeholder="${text(name)}"${marks}></label>\n`;

/** The page of a link that cannot be used. */
export const spentHtml = (parts: SignInParts, fault: string): string =>
  page(
    "Link",
    parts,
    `<p class="fault" role="alert">${text(fault)}</p>
<p class="note">Each link can be used once, for a limited time. If you have chosen your password already, sign in with it. Otherwise ask an administrator for a new link.</p>
<p><a class="to" href="/sign_in">Sign in</a></p>`,
  );
