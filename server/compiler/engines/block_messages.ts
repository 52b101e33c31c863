/** What authors are told of the blocks of a single-file component, of Svelte as well as Vue. */
export const BLOCKS = {
  no_src: (block: string) => `src is not supported: an app is one file, write the <${block}> into it`,
  no_lang: (block: string, lang: string, supported: readonly string[]) =>
    `lang="${lang}" is not supported: <${block}> takes ${supported.join(" or ")}`,
} as const;
