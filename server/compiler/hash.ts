const encoder = new TextEncoder();

/** SHA-256 of the text's UTF-8, in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(text));
  return new Uint8Array(digest).toHex();
}
