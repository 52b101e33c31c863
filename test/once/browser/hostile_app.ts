/**
 * A hostile app: it tries every way out of its page. What a way reads is kept as text, so that the test looks for secrets
 * in it; a way that is refused leaves the name of its error.
 */

/** JavaScript bodies by name. */
const WAYS: Record<string, string> = {
  "the page around": "return parent.document.documentElement.outerHTML",
  "the top page": "return top.document.body.innerText",
  "the address around": "return parent.location.href",
  "a frame beside": "return [...Array(parent.length).keys()].map((i) => i && parent[i].document.body.innerText).join()",
  "its own element": "return frameElement.ownerDocument.cookie",
  "leading the top page away":
    "if (top === self) return 'alone'; top.location = base + '/a/nothing-here'; return top.location.href",
  "a link of the page around without a click":
    "parent.postMessage({ atrium: 'leave', to: base + '/a/nothing-here' }, '*')",
  "a script as a link": "parent.postMessage({ atrium: 'leave', to: 'javascript:document.body.remove()' }, '*')",
  "another app in its frame": "parent.postMessage({ atrium: 'reopen', to: base + other + '/frame' }, '*')",
  "messages that are none":
    "for (const m of [null, 1, 'at', { atrium: 'toString' }, { atrium: '__proto__' }, { atrium: 'at', hash: {}, title: {} }]) parent.postMessage(m, '*')",
  "a false address":
    "const { pathname } = location; history.replaceState({}, '', '/sign_in'); history.replaceState({}, '', pathname); return ''",
  "its cookies": "return 'cookies: ' + document.cookie",
  "another's cookie planted": "document.cookie = 'session=' + 'A'.repeat(43) + '; path=/'; return document.cookie",
  "me by fetch": "return await text(fetch(base + '/account/me.json', { credentials: 'include' }))",
  "me by XMLHttpRequest":
    "return await new Promise((done) => { const x = new XMLHttpRequest(); x.open('GET', base + '/account/me.json'); x.withCredentials = true; x.onload = () => done(x.responseText); x.onerror = () => done('refused'); x.send(); })",
  "me with the page token":
    "return await text(fetch(base + '/account/me.json', { headers: { 'x-app-token': token } }))",
  "me with the page token as a bearer":
    "return await text(fetch(base + '/account/me.json', { headers: { authorization: 'Bearer ' + token } }))",
  "me with the page token as a cookie":
    "document.cookie = 'session=' + token; return await text(fetch(base + '/account/me.json', { credentials: 'include' }))",
  "sessions": "return await text(fetch(base + '/account/sessions.json', { credentials: 'include', mode: 'cors' }))",
  "a new token":
    "return await text(fetch(base + '/account/tokens.json', { method: 'POST', credentials: 'include', body: JSON.stringify({ token: { name: 'Stolen' } }), headers: { 'content-type': 'text/plain' } }))",
  "a new token without an answer":
    "return await text(fetch(base + '/account/tokens.json', { method: 'POST', mode: 'no-cors', credentials: 'include', body: JSON.stringify({ token: { name: 'Stolen' } }) }))",
  "the session's end":
    "return await text(fetch(base + '/account/session.json', { method: 'DELETE', credentials: 'include' }))",
  "the session's end by fetch of the form":
    "return await text(fetch(base + '/sign_out', { method: 'POST', mode: 'no-cors', credentials: 'include' }))",
  "the session's end by a form":
    "return await frame((f) => { const form = document.createElement('form'); f.name = form.target = 'out'; form.method = 'post'; form.action = base + '/sign_out'; document.body.append(form); form.submit(); })",
  "another app's page by fetch": "return await text(fetch(base + other, { credentials: 'include' }))",
  "another app's frame by fetch": "return await text(fetch(base + other + '/frame', { credentials: 'include' }))",
  "another app's page in a frame": "return await frame((f) => { f.src = base + other })",
  "another app's frame in a frame": "return await frame((f) => { f.src = base + other + '/frame' })",
  "another app's page in an object": "return await frame((f) => { f.data = base + other }, 'object')",
  "another app's page in a window":
    "const w = open(base + other); await pause(); const found = w.document.body.innerText; w.close(); return found",
  "another app's page as a module": "return Object.keys(await import(base + other)).join()",
  "another app's own host by fetch": "return await text(fetch(host + other, { credentials: 'include' }))",
  "another app's own host without an answer":
    "return await text(fetch(host + other, { credentials: 'include', mode: 'no-cors' }))",
  "another app's own host in a frame": "return await frame((f) => { f.src = host + other })",
  "another app's own host in a window":
    "const w = open(host + other); await pause(); const found = w.document.body.innerText; w.close(); return found",
  "another app's records by its host":
    "return await text(fetch(host + '/platform/db/notes/list', { method: 'POST', credentials: 'include' }))",
  "the site by the app's own host": "return await text(fetch('/account/me.json', { credentials: 'include' }))",
  "the sign-in page": "return await text(fetch(base + '/sign_in', { credentials: 'include' }))",
  "a service worker": "return (await navigator.serviceWorker.register(base + '/a/x.js')).scope",
  "a worker's request":
    "return await new Promise((done, fail) => { const w = new Worker(URL.createObjectURL(new Blob([`fetch('${base}/account/me.json', { credentials: 'include' }).then((r) => r.text()).then(postMessage, (e) => postMessage('refused ' + e))`]))); w.onmessage = ({ data }) => done(data); w.onerror = fail; })",
  "a shared worker": "return String(new SharedWorker(base + '/vendor/none.js').port)",
  "a broadcast":
    "return await new Promise((done) => { const c = new BroadcastChannel('one'); c.onmessage = ({ data }) => done(data); c.postMessage('give'); setTimeout(() => done('nothing'), 200); })",
  "stored items": "return Object.values(localStorage).join() + Object.values(sessionStorage).join()",
  "stored databases": "return (await indexedDB.databases()).map(({ name }) => name).join()",
  "stored answers": "return (await caches.keys()).join()",
  "names of resources": "return performance.getEntries().map(({ name }) => name).join()",
  "where it came from": "return document.referrer",
  "the opener": "return opener.document.body.innerText",
};

export const ATTACKS = Object.keys(WAYS);

/**
 * @param base the address of the site
 * @param host where the other app is served; the site's address if apps have no hosts of their own
 * @param other the path of the other app
 */
export const hostileSource = (base: string, host: string, other: string) =>
  `<!doctype html><title>Hostile</title><pre id="out"></pre><script>
const base = ${JSON.stringify(base)}, host = ${JSON.stringify(host)}, other = ${JSON.stringify(other)};
const token = /"([\\w-]{50,}\\.[\\w-]{40,})"/.exec(document.documentElement.outerHTML)?.[1] ?? "";
const pause = () => new Promise((done) => setTimeout(done, 300));
const text = async (answer) => { const r = await answer; return r.status + " " + r.type + " " + await r.text(); };
const frame = async (fill, tag = "iframe") => {
  const f = document.createElement(tag);
  const loaded = new Promise((done) => { f.onload = f.onerror = done; setTimeout(done, 2000); });
  document.body.append(f); fill(f);
  await loaded;
  return f.contentDocument ? f.contentDocument.documentElement.outerHTML : f.contentWindow.document.body.innerText;
};
(async () => {
  const found = {};
  for (const [name, work] of Object.entries({${
    Object.entries(WAYS).map(([name, body]) => `${JSON.stringify(name)}: async () => { ${body} }`).join(",\n")
  }})) {
    try { found[name] = String(await Promise.race([work(), new Promise((_, fail) => setTimeout(() => fail(new Error("silent")), 5000))])); }
    catch (error) { found[name] = "refused " + error.name; }
  }
  document.querySelector("#out").textContent = JSON.stringify(found);
})();
</script>`;
