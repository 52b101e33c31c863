/** The HTML of the sign-in page, which works without JavaScript. */
import { createHash } from "node:crypto";
import { PASSKEY_SCRIPT } from "../../files/passkey_script.ts";
import { text } from "../page_html.ts";

export interface SignInParts {
  /** Name of the account. */
  account: string;
  /** The site's address without its scheme. */
  site: string;
  /** Allows the script for passkeys, by the policy; undefined leaves it out. */
  nonce?: string | undefined;
  /** What people call the OpenID provider; undefined where there is none. */
  provider?: string | undefined;
  /** The address of the site, where the provider is used; undefined on the site's own host, and where there is none. */
  provider_at?: string | undefined;
}

/** What the form shows. */
export interface FormParts extends SignInParts {
  login: string;
  return_to: string;
  /** Why the last attempt failed. */
  fault: string | undefined;
  /** Leaves out the fields for login and password. */
  oidc_only: boolean;
}

/** What a member sees who is signed in already. */
export interface MemberParts extends SignInParts {
  name: string;
  role: string;
  apps: readonly { name: string; href: string }[];
  /** Apps beyond those that are listed. */
  more: number;
  /** Whether the member can sign in with the provider. */
  is_linked: boolean;
}

/** Four planes run from the corners of the window to those of the form, as in the product's mark. */
const STYLE = `
:root{color-scheme:light dark;--raised:light-dark(#fff,oklch(.216 .011 262));--line:light-dark(oklch(.905 .005 95),oklch(.292 .012 262));--edge:light-dark(oklch(.615 .012 262),oklch(.55 .014 262));--fg:light-dark(oklch(.22 .018 262),oklch(.935 .005 262));--muted:light-dark(oklch(.46 .016 262),oklch(.715 .012 262));--accent:light-dark(oklch(.5 .145 258),oklch(.745 .12 254));--accent-hover:light-dark(oklch(.45 .145 258),oklch(.79 .11 254));--on-accent:light-dark(oklch(.99 0 0),oklch(.17 .03 258));--hover:light-dark(oklch(.22 .02 262/.045),oklch(.95 .01 262/.06));--bad:light-dark(oklch(.52 .185 27),oklch(.72 .15 25));--bad-soft:light-dark(oklch(.957 .022 25),oklch(.275 .05 25))}
*{box-sizing:border-box;margin:0}
body{min-height:100vh;min-height:100dvh;display:grid;grid-template:minmax(24px,1fr) auto minmax(24px,1fr)/1fr min(400px,100% - 48px) 1fr;color:var(--fg);font:400 13px/20px -apple-system,"Segoe UI Variable Text","Segoe UI",Inter,Roboto,"Liberation Sans",system-ui,sans-serif;background:linear-gradient(90deg,light-dark(oklch(.962 .007 258),oklch(.195 .013 262)) 50%,light-dark(oklch(.948 .011 258),oklch(.225 .018 262)) 50%)}
.top,.bottom{--w:min(200px,50% - 24px)}
.top{grid-area:1/1/2/4;background:light-dark(oklch(.905 .022 258),oklch(.275 .03 262));clip-path:polygon(0 0,100% 0,calc(50% + var(--w)) 100%,calc(50% - var(--w)) 100%)}
.bottom{grid-area:3/1/4/4;background:light-dark(oklch(.978 .003 258),oklch(.165 .009 262));clip-path:polygon(0 100%,100% 100%,calc(50% + var(--w)) 0,calc(50% - var(--w)) 0)}
main{grid-area:2/2;position:relative;background:var(--raised);outline:1px solid var(--line);padding:36px 40px;display:grid;gap:16px}
header{display:flex;gap:12px;align-items:center;margin-bottom:8px;min-width:0}header svg{flex:none;fill:var(--accent)}header div{min-width:0}
h1{font-size:15px;line-height:24px;font-weight:600;letter-spacing:-.011em;overflow-wrap:anywhere}
small,summary,.note{font-size:12px;line-height:16px;color:var(--muted)}small{display:block;overflow-wrap:anywhere}
form{display:grid;gap:16px}label{display:grid;gap:4px;font-weight:500}
input{height:36px;padding:0 10px;border:1px solid var(--edge);border-radius:6px;background:transparent;color:inherit;font:inherit;font-size:14px;width:100%}
button,.app,.to{display:flex;align-items:center;justify-content:center;min-height:36px;padding:0 12px;border-radius:6px;font:inherit;font-weight:500;cursor:pointer}
button{border:0;background:var(--accent);color:var(--on-accent)}button:hover{background:var(--accent-hover)}
button.plain,.to{background:transparent;color:inherit;border:1px solid var(--edge);text-decoration:none}button.plain:hover,.app:hover,.to:hover{background:var(--hover)}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
summary{cursor:pointer;width:max-content;max-width:100%;border-radius:4px}details p{margin-top:8px}
.fault{padding:8px 12px;border-radius:6px;background:var(--bad-soft);color:var(--bad);font-weight:500}
ul{list-style:none;padding:0;margin:0 -12px;max-height:40vh;overflow:auto}.app{justify-content:space-between;gap:12px;color:inherit;text-decoration:none;overflow-wrap:anywhere}.app::after{content:"→";color:var(--muted)}
code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace}
::placeholder{color:var(--muted);opacity:1}@media(max-width:480px){main{padding:32px 24px}input,button,.app,.to{min-height:44px}input{font-size:16px}}
@media(forced-colors:active){main{border:1px solid}}
`;

/** Allows this page's style, forms to this site, and with a nonce the script for passkeys and its requests. */
export const signInPolicy = (nonce: string | undefined): string =>
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; ` +
  (nonce === undefined ? "" : `script-src 'nonce-${nonce}'; connect-src 'self'; `) +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

const MARK =
  `<svg width="32" height="32" viewBox="0 0 24 24" aria-hidden="true"><path d="M2.6 1h18.8l-5.2 5.6H7.8z"/><path d="M23 2.6v18.8l-5.6-5.2V7.8z" opacity=".62"/><path d="M21.4 23H2.6l5.2-5.6h8.4z" opacity=".3"/><path d="M1 21.4V2.6l5.6 5.2v8.4z" opacity=".46"/></svg>`;

export const page = (title: string, { account, site, nonce }: SignInParts, body: string) =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${text(title)} · ${text(account)}</title>
<style>${STYLE}</style>${
    nonce === undefined ? "" : `\n<script src="${PASSKEY_SCRIPT}" nonce="${nonce}" defer></script>`
  }
</head>
<body>
<div class="top"></div><div class="bottom"></div>
<main>
<header>${MARK}<div><h1>${text(account)}</h1><small>${text(site)}</small></div></header>
${body}
</main>
</body>
</html>
`;

export function signInHtml(parts: FormParts): string {
  const { return_to, fault, provider, oidc_only } = parts;
  const said = fault && `<p class="fault" id="fault" role="alert">${text(fault)}</p>`;
  const other = provider !== undefined &&
    `<a class="to" href="${text(`/sign_in/oidc?return_to=${encodeURIComponent(return_to)}`)}">Sign in with ${
      text(provider)
    }</a>`;
  const lines = oidc_only ? [said, other || elsewhere(parts)] : [said, formHtml(parts), other, FORGOTTEN];
  return page("Sign in", parts, lines.filter(Boolean).join("\n"));
}

/** Where members sign in who do so with the provider only, on a host or a server without it. */
const elsewhere = ({ provider_at, site, return_to }: FormParts): string =>
  `<p class="note">Members of this account sign in with OpenID Connect only.</p>\n` +
  (provider_at === undefined
    ? `<p class="note">This server has no provider. On the server, <code>deno task password</code> lets an administrator sign in with a password again.</p>`
    : `<a class="to" href="${text(`${provider_at}/sign_in?return_to=${encodeURIComponent(return_to)}`)}">Sign in at ${
      text(site)
    }</a>`);

const FORGOTTEN =
  `<details><summary>Forgotten your password?</summary><p class="note">An administrator of this account can set a new one for you. On the server, <code>deno task password</code> does the same.</p></details>`;

function formHtml({ login, return_to, fault }: FormParts): string {
  const described = fault ? ` aria-describedby="fault" aria-invalid="true"` : "";
  const [at_login, at_password] = login ? ["", " autofocus"] : [" autofocus", ""];
  return `<form method="post" action="/sign_in">
<label>Login or e-mail<input name="login" value="${
    text(login)
  }" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="255" required${at_login}${described}></label>
<label>Password<input name="password" type="password" autocomplete="current-password" maxlength="1024" required${at_password}${described}></label>
<input type="hidden" name="return_to" value="${text(return_to)}">
<button>Sign in</button>
</form>`;
}

export function memberHtml(parts: MemberParts): string {
  const { name, role, apps, more, provider, is_linked } = parts;
  const other = provider === undefined
    ? ""
    : is_linked
    ? `<p class="note">You can sign in with ${text(provider)}.</p>\n`
    : `<a class="to" href="/sign_in/oidc?link=1">Link ${text(provider)}</a>\n`;
  const listed = apps.map((app) => `<li><a class="app" href="${text(app.href)}">${text(app.name)}</a></li>`).join("");
  const rest = more > 0 ? `<p class="note">and ${more} more</p>` : "";
  const body = `<p>Signed in as <strong>${text(name)}</strong>, ${text(role)}.</p>
${
    listed
      ? `<nav aria-label="Apps"><ul>${listed}</ul></nav>${rest}`
      : `<p class="note">There is no app for you yet.</p>`
  }
${other}<form method="post" action="/sign_out"><button class="plain">Sign out</button></form>`;
  return page("Apps", parts, body);
}
