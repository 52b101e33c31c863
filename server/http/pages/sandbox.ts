/**
 * The headers of every app page. On an origin that it shares they hold its untrusted code in a sandbox with an opaque
 * origin. An app with an origin of its own needs none.
 */

/** Never `allow-same-origin`, never `allow-popups-to-escape-sandbox`. */
export const SANDBOX_FLAGS = "allow-scripts allow-forms allow-popups allow-modals allow-downloads allow-pointer-lock";

const POLICY = "frame-ancestors 'self'; object-src 'none'; base-uri 'self'";

export const OWN_ORIGIN = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};

export const SANDBOX = { ...OWN_ORIGIN, "content-security-policy": `sandbox ${SANDBOX_FLAGS}; ${POLICY}` };

export type PageHeaders = typeof OWN_ORIGIN;
