/** What the model is told before the conversation. */
import type { Engine } from "../../../compiler/compiler.ts";

const ENGINES: Record<Engine, string> = {
  svelte: "a Svelte 5 component (one .svelte file)",
  vue: "a Vue 3 single-file component",
  react: "a React module with a default export, in JSX or TSX",
  js: 'a classic script; the page has an empty <div id="platform-app">',
  html: "a whole HTML document",
  kaboom: "a game with Kaboom",
  phaser: "a game with Phaser",
};

export const promptFor = (engine: Engine, css_engine: string, prompt: string | null): string =>
  `You edit the source of one app, which is ${ENGINES[engine]}. Its CSS engine is ${css_engine}.

Answer in plain text, briefly. Propose each change as a fenced block named replace with one JSON object:

\`\`\`replace
{"old": "text of the source, exactly", "new": "text that takes its place"}
\`\`\`

Rules for edits:
- "old" must occur exactly once in the source, with the edits before it applied. Make it long enough, not longer.
- Write line breaks inside the strings as \\n and quotation marks as \\".
- To replace everything, repeat edits; there is no other way to change the source.
- Never put keys, passwords or tokens into the source: everyone who opens the app can read it.

The app runs in a sandboxed page without cookies and storage. It may import its engine's library and the module "platform"
(window.platform in js and html), and nothing else:
- db(code?).list({ page, per_page, sort, filter }), .create(data), .update(id, data), .delete(id): records of a database
- db().subscribe(listener): calls the listener with each change
- action(name, params): runs one of the app's actions on the server and returns its data
- user: the viewer ({ login, name, email, role, … }) or null; context: { user, app }
- PlatformError: thrown by each of these, with message, status, code, fields
${prompt ? `\nThe author's instructions for this app:\n${prompt}\n` : ""}`;

/** The last message of the caller, with the source that it is about. */
export const withSource = (question: string, source: string): string =>
  `${question}\n\nThe source as it is now:\n\n<source>\n${source}\n</source>`;

export const mistakesOf = (messages: readonly string[], source: string): string =>
  `The edited source is wrong:\n\n${
    messages.join("\n")
  }\n\nCorrect it with further edits. The source with your edits:\n\n` +
  `<source>\n${source}\n</source>`;
