/** The `Link` header (RFC 8288), as far as pages need it. */

const PARAM = String.raw`\s*;\s*([^\s=;,<]+)(?:\s*=\s*(?:"([^"<]*)"|([^\s";,<]+)))?`;
const PARAMS = new RegExp(PARAM, "g");
/** A `<` ends an address without its `>`, so that each character is read once. */
const LINK = new RegExp(`<([^<>]*)>((?:${PARAM})*)`, "g");

/** The address of `rel="next"`. */
export function nextLink(header: string): string | undefined {
  for (const [, address, params = ""] of header.matchAll(LINK)) {
    for (const [, name, quoted, plain = ""] of params.matchAll(PARAMS)) {
      if (name?.toLowerCase() !== "rel") continue;
      if ((quoted ?? plain).toLowerCase().split(/\s+/).includes("next")) return address;
    }
  }
}
