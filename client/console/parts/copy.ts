/** Copies to the clipboard in every form that is given, also where the page is not served over https. */
export function copy(forms: Partial<Record<"text/plain" | "text/html", string>>): boolean {
  let copied = false;
  const write = (event: ClipboardEvent) => {
    for (const [type, text] of Object.entries(forms)) event.clipboardData?.setData(type, text);
    event.preventDefault();
    copied = true;
  };
  addEventListener("copy", write, { once: true });
  // The asynchronous clipboard is missing on plain http.
  document.execCommand("copy");
  removeEventListener("copy", write);
  return copied;
}
