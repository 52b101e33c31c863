/**
 * The headers of every app page. On an origin that it shares they hold its untrusted code in a sandbox with an opaque
 * origin. An app with an origin of its own needs none.
 */

/** Never `allow-same-origin`, never `allow-popups-to-escape-sandbox`. */
export const SANDBOX_FLAGS = "allow-scripts allow-forms allow-popups allow-modals allow-downloads allow-pointer-lock";

/** @param hosts origins of pages that may show the app in a frame, beside its own */
const policyFor = (hosts: readonly string[]) =>
  `frame-ancestors ${["'self'", ...hosts].join(" ")}; object-src 'none'; base-uri 'self'`;

const POLICY = policyFor([]);

export const OWN_ORIGIN = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};

export const SANDBOX = { ...OWN_ORIGIN, "content-security-policy": `sandbox ${SANDBOX_FLAGS}; ${POLICY}` };

export type PageHeaders = typeof OWN_ORIGIN;

/** The policy for an account with hosts that may show its apps; nothing where the standard one of `headers` holds. */
export function framedBy(headers: PageHeaders, hosts: readonly string[]): Record<string, string> {
  if (hosts.length === 0) return {};
  const sandbox = headers === SANDBOX ? `sandbox ${SANDBOX_FLAGS}; ` : "";
  return { "content-security-policy": sandbox + policyFor(hosts) };
}
