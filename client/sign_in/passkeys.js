/*
 * Adds passkeys to the sign-in page, which works without this script: a button that signs in, and for a signed-in member a
 * button that adds a passkey. The server sends @simplewebauthn/browser in front of it.
 */
(() => {
  const { browserSupportsWebAuthn, startAuthentication, startRegistration } = globalThis.SimpleWebAuthnBrowser;
  if (!browserSupportsWebAuthn()) return;

  const signs_in = document.querySelector('form[action="/sign_in"]');
  const before = signs_in ?? document.querySelector('form[action="/sign_out"]');
  if (!before) return;

  const send = async (path, body) => {
    const response = await fetch(path, {
      method: "POST",
      ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error ?? Object.values(answer).flat().join(". "));
    return answer;
  };

  const signIn = async () => {
    const optionsJSON = await send("/account/session/passkey_options.json");
    const response = await startAuthentication({ optionsJSON });
    await send("/account/session/passkey.json", { passkey: { response } });
    location.assign(new FormData(signs_in).get("return_to") || "/");
  };

  const add = async () => {
    const optionsJSON = await send("/account/passkeys/options.json");
    const response = await startRegistration({ optionsJSON });
    const { name } = await send("/account/passkeys.json", { passkey: { response } });
    say(`Added: ${name}. You can now sign in with it.`, "note");
  };

  const REASONS = {
    NotAllowedError: "No passkey was used.",
    InvalidStateError: "This device already has a passkey for you.",
  };

  const note = document.createElement("p");
  note.setAttribute("role", "status");
  const say = (text, style) => {
    note.className = style;
    note.textContent = text;
    if (!note.isConnected) button.after(note);
  };

  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = signs_in ? "Sign in with a passkey" : "Add a passkey";
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await (signs_in ? signIn() : add());
    } catch (error) {
      say(REASONS[error.name] ?? REASONS[error.cause?.name] ?? error.message, "fault");
    } finally {
      button.disabled = false;
    }
  });
  if (signs_in) before.after(button);
  else before.before(button);
})();
