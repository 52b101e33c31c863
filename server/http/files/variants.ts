/** Bodies that are kept in memory in several encodings, with strong ETags. */
import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { parseAccept } from "hono/utils/accept";

type Bytes = Uint8Array<ArrayBuffer>;

/** One body in every encoding that it is sent in. */
export interface Variants {
  content_type: string;
  /** Of the identity form; the ETags of compressed forms add their encoding to it. */
  hash: string;
  identity: Bytes;
  br?: Bytes | undefined;
  gzip?: Bytes | undefined;
}

/** Bytes. Compressing less saves no more than the headers cost. */
const WORTH_COMPRESSING = 512;

export function variantsOf(text: string, content_type: string): Variants {
  const identity = new TextEncoder().encode(text);
  const hash = hashOf(identity);
  if (identity.length < WORTH_COMPRESSING) return { content_type, hash, identity };
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
  return {
    content_type,
    hash,
    identity,
    br: new Uint8Array(brotliCompressSync(identity, options)),
    gzip: new Uint8Array(gzipSync(identity)),
  };
}

/** 128 bits of the content's SHA-256, in hexadecimal. */
export const hashOf = (content: Uint8Array | string) => createHash("sha256").update(content).digest("hex").slice(0, 32);

export const sizeOf = ({ identity, br, gzip }: Variants) => identity.length + (br?.length ?? 0) + (gzip?.length ?? 0);

/** Bytes of an identity form that is kept as text, too. */
const LONGEST_TEXT = 64 * 1024;

type Encoding = "br" | "gzip" | "identity";

/** One form with its headers. */
interface Form {
  body: Bytes | string;
  etag: string;
  headers: Record<string, string>;
  /** For 304. */
  unchanged: Record<string, string>;
}

/** Answers of a form, of which only clones are sent. Clones share the bytes, so that nothing may change them. */
interface Originals {
  etag: string;
  full: Response;
  unchanged: Response;
}

/**
 * Makes the answers with each form once, when a client first accepts it. Deno validates the headers of a new answer, and
 * not those of a clone: a fifth of the time of a page in memory.
 *
 * @param cache_control without `no-transform`
 * @param headers further headers of every answer
 * @returns a function that answers with a form that the client accepts, or 304; `own` are headers of that answer only
 */
export function prepared(
  variants: Variants,
  cache_control: string,
  headers: Record<string, string> = {},
): (request: Request, own?: Record<string, string>) => Response {
  const forms = new Map<Encoding, Originals>();
  return (request, own) => {
    const encoding = encodingFor(request, variants);
    let form = forms.get(encoding);
    if (!form) {
      const made = formOf(variants, encoding, cache_control, headers);
      form = { etag: made.etag, full: answerWith(made), unchanged: unchangedAnswer(made) };
      forms.set(encoding, form);
    }
    const answer = (matches(request, form.etag) ? form.unchanged : form.full).clone();
    for (const name in own) answer.headers.set(name, own[name] ?? "");
    return answer;
  };
}

/** Answers once. */
export function respond(
  request: Request,
  variants: Variants,
  cache_control: string,
  more: Record<string, string> = {},
): Response {
  const form = formOf(variants, encodingFor(request, variants), cache_control, more);
  return matches(request, form.etag) ? unchangedAnswer(form) : answerWith(form);
}

const answerWith = ({ body, headers }: Form) => new Response(body, { headers });
const unchangedAnswer = ({ unchanged }: Form) => new Response(null, { status: 304, headers: unchanged });

/** `no-transform` keeps the ETag strong: otherwise the runtime would compress the body by itself. */
function formOf(
  variants: Variants,
  encoding: Encoding,
  cache_control: string,
  headers: Record<string, string>,
): Form {
  const etag = encoding === "identity" ? `"${variants.hash}"` : `"${variants.hash}-${encoding}"`;
  const unchanged = {
    ...headers,
    "content-type": variants.content_type,
    "cache-control": `${cache_control}, no-transform`,
    etag,
    vary: "accept-encoding",
  };
  return {
    body: encoding === "identity" ? textOf(variants.identity) : variants[encoding] ?? variants.identity,
    etag,
    headers: encoding === "identity" ? unchanged : { ...unchanged, "content-encoding": encoding },
    unchanged,
  };
}

/** An answer with ASCII text costs 9 µs less than one with bytes. */
const textOf = (bytes: Bytes): Bytes | string =>
  bytes.length <= LONGEST_TEXT && bytes.every((byte) => byte < 0x80) ? new TextDecoder().decode(bytes) : bytes;

/**
 * Chooses the smallest form that the client accepts. Hono's `accepts` would choose the first of equal weights, which is
 * gzip in browsers' headers.
 */
function encodingFor({ headers }: Request, variants: Variants): Encoding {
  const accepted = headers.get("accept-encoding");
  if (!accepted) return "identity";
  if (variants.br && takes(accepted, "br")) return "br";
  return variants.gzip && takes(accepted, "gzip") ? "gzip" : "identity";
}

const takes = (accepted: string, encoding: string) =>
  parseAccept(accepted).some(({ type, q }) => type.toLowerCase() === encoding && q > 0);

/** The comparison of If-None-Match is weak (RFC 9110, 13.1.2). */
function matches({ headers }: Request, etag: string): boolean {
  const given = headers.get("if-none-match");
  return given !== null && (given === "*" || given.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag));
}
