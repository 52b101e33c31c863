/*
 * Adds the page token to the page's requests below /platform/ of its own server, so that the server knows the viewer.
 * The server calls this function with the token that it made for the page.
 */
((token) => {
  const home = new URL(location.href).origin;
  const isOurs = (address) => {
    try {
      const { origin, pathname } = new URL(address, document.baseURI);
      return origin === home && pathname.startsWith("/platform/");
    } catch {
      return false;
    }
  };
  let pending;
  const { fetch } = globalThis;
  const carry = globalThis.fetch = (input, init) => {
    const request = input instanceof Request ? input : undefined;
    if (!isOurs(request?.url ?? input)) return fetch(input, init);
    const send = () => {
      const headers = new Headers(init?.headers ?? request?.headers);
      headers.set("x-app-token", token);
      return fetch(input, { ...init, headers });
    };
    const wait = pending?.();
    return wait ? wait.then(send) : send();
  };
  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (...parts) {
    open.apply(this, parts);
    if (isOurs(parts[1])) this.setRequestHeader("x-app-token", token);
  };

  /** An EventSource sends no headers. This one reads the stream with `fetch`. */
  const { EventSource } = globalThis;
  class Stream extends EventTarget {
    onopen = null;
    onmessage = null;
    onerror = null;
    readyState = EventSource.CONNECTING;
    #ended = new AbortController();
    #last = "";
    #pause_ms = 3_000;

    constructor(address, { withCredentials = false } = {}) {
      super();
      const define = (name, value) => Object.defineProperty(this, name, { value, enumerable: true });
      define("url", new URL(address, document.baseURI).href);
      define("withCredentials", Boolean(withCredentials));
      this.#follow();
    }
    close() {
      this.readyState = EventSource.CLOSED;
      this.#ended.abort();
    }
    #emit(event) {
      try {
        this[`on${event.type}`]?.call?.(this, event);
      } catch (error) {
        reportError(error);
      }
      this.dispatchEvent(event);
    }
    async #follow() {
      while (this.readyState !== EventSource.CLOSED) {
        await this.#read().catch(() => {});
        if (this.readyState === EventSource.CLOSED) return;
        this.readyState = EventSource.CONNECTING;
        this.#emit(new Event("error"));
        await new Promise((done) => setTimeout(done, this.#pause_ms));
      }
    }
    /** Until the connection ends. An answer that is no stream ends the stream for good. */
    async #read() {
      const headers = { accept: "text/event-stream", ...(this.#last && { "last-event-id": this.#last }) };
      const { status, headers: sent, body } = await carry(this.url, {
        headers,
        cache: "no-store",
        signal: this.#ended.signal,
      });
      if (this.readyState === EventSource.CLOSED) return;
      if (status !== 200 || !/^text\/event-stream\s*(;|$)/i.test(sent.get("content-type") ?? "")) {
        this.close();
        return this.#emit(new Event("error"));
      }
      this.readyState = EventSource.OPEN;
      this.#emit(new Event("open"));
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let [type, data] = ["", []];
      for (let rest = "";;) {
        const { value, done } = await reader.read();
        if (done) return;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines) {
          const [, field, content = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line.replace(/\r$/, "")) ?? [];
          if (field === "event") type = content;
          else if (field === "data") data.push(content);
          else if (field === "id" && !content.includes("\0")) this.#last = content;
          else if (field === "retry" && /^\d+$/.test(content)) this.#pause_ms = Number(content);
          else if (line.trim() === "") {
            const event = { data: data.join("\n"), lastEventId: this.#last, origin: home };
            if (data.length > 0) this.#emit(new MessageEvent(type || "message", event));
            if (this.readyState === EventSource.CLOSED) return;
            [type, data] = ["", []];
          }
        }
      }
    }
  }
  Object.setPrototypeOf(Stream.prototype, EventSource.prototype);
  globalThis.EventSource = new Proxy(EventSource, {
    construct: (native, parts, made) =>
      isOurs(parts[0]) ? new Stream(...parts) : Reflect.construct(native, parts, made),
  });
  return {
    renew: (renewed) => void (token = renewed),
    /** @param wait returns a promise while requests must wait for another token */
    waitFor: (wait) => void (pending = wait),
  };
});
