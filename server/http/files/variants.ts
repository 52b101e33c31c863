/** Answers that are kept in memory, each with its compressed forms and strong ETags. */
import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

type Bytes = Uint8Array<ArrayBuffer>;

/** One body in every form that it is sent in. */
export interface Variants {
  content_type: string;
  /** Of the body as it is; the compressed forms add their encoding. */
  hash: string;
  identity: Bytes;
  br?: Bytes | undefined;
  gzip?: Bytes | undefined;
}

/** Below this many bytes a compressed form saves nothing worth a header. */
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

/**
 * The form that the client takes, or 304. `no-transform` keeps the ETag strong: the runtime would compress on its own.
 *
 * @param cache_control without `no-transform`
 */
export function respond(
  request: Request,
  variants: Variants,
  cache_control: string,
  more: Record<string, string> = {},
): Response {
  const encoding = encodingFor(request.headers.get("accept-encoding"), variants);
  const etag = encoding === "identity" ? `"${variants.hash}"` : `"${variants.hash}-${encoding}"`;
  const headers: Record<string, string> = {
    ...more,
    "content-type": variants.content_type,
    "cache-control": `${cache_control}, no-transform`,
    etag,
    vary: "accept-encoding",
  };
  if (matches(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  if (encoding !== "identity") headers["content-encoding"] = encoding;
  return new Response(variants[encoding], { headers });
}

type Encoding = "br" | "gzip" | "identity";

function encodingFor(accepted: string | null, variants: Variants): Encoding {
  if (!accepted) return "identity";
  if (variants.br && takes(accepted, "br")) return "br";
  return variants.gzip && takes(accepted, "gzip") ? "gzip" : "identity";
}

const takes = (accepted: string, encoding: string) =>
  accepted.split(",").some((part) => {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });

/** The comparison of If-None-Match is weak (RFC 9110, 13.1.2). */
const matches = (given: string | null, etag: string) =>
  given !== null && (given === "*" || given.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag));
