/** The headers of every app page. They hold its untrusted code in a sandbox with an opaque origin. */

/** Never `allow-same-origin`, never `allow-popups-to-escape-sandbox`. */
export const SANDBOX = {
  "content-security-policy":
    "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads allow-pointer-lock; frame-ancestors 'self'; " +
    "object-src 'none'; base-uri 'self'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};
