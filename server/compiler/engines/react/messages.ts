/** What React authors are told beside esbuild's own messages. */
export const MESSAGES = {
  nothing_shown: 'nothing is shown: export a component as default, or call createRoot from "react-dom/client" yourself',
  side_by_side: "Elements side by side need one around them: <>…</>",
  brace_expected: (found: string) => `Expected "}" but found "${found}"`,
} as const;
