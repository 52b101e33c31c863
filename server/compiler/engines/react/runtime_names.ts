/** Names that the compiler of React apps and the build of React's runtime share. */

/** Our module that mounts an app's default export. Messages to authors do not mention it. */
export const MOUNT = "react/internal/mount";

/** What most apps import: exported by the first file of the runtime. */
export const COMMON: ReadonlySet<string> = new Set(
  `useState useEffect useRef useMemo useCallback useReducer useContext createContext memo StrictMode useId
  useLayoutEffect createRoot createPortal`.split(/\s+/),
);
