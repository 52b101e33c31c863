/** Whether a condition has held at least once: a dialog stays in the page after its first opening. */
export function once(holds: () => boolean): { readonly now: boolean } {
  let held = false;
  const now = $derived.by(() => (held ||= holds()));
  return {
    get now() {
      return now;
    },
  };
}
