/** Limits of one outgoing request. */
export const MAX_REDIRECTS = 3;
/** Of the body, encoded and decoded. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Bytes of a redirect's own body that are read so that its connection can be reused. */
export const MAX_DISCARDED_BYTES = 64 * 1024;
export const MAX_HEADER_BYTES = 32 * 1024;
export const CONNECT_MS = 10_000;
