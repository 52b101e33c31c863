/** A save that was refused because of examples, in one sentence. Their page says what differs. */
export function failedExamples(messages: readonly string[]): string {
  if (messages.length !== 1) return `Not saved: ${messages.length} examples fail.`;
  const name = /^“(.{1,60})” fails: /s.exec(messages[0] ?? "")?.[1];
  return name === undefined ? "Not saved: an example fails." : `Not saved: the example “${name}” fails.`;
}
