/** Every route that is no procedure, for the route table, the API reference and the tests. */
import { ACCOUNT_ARCHIVE } from "./files/account_archive.ts";
import { ASSETS } from "./files/assets.ts";
import { DB_FILES } from "./files/db_files.ts";
import { DEPARTMENT_FOOTERS } from "./files/department_footers.ts";
import { EMBED_SCRIPT } from "./files/embed_script.ts";
import { FLOW_SCHEMA } from "./files/json_schemas.ts";
import { PASSKEYS } from "./files/passkey_script.ts";
import { PLATFORM_TYPES } from "./files/platform_types.ts";
import { HEALTH } from "./health.ts";
import { MCP } from "./mcp/mcp.ts";
import { APPROVAL_PAGES } from "./pages/approval/approval.ts";
import { EMBEDDED_PAGE } from "./pages/open_embedded.ts";
import { CONSOLE_PAGES } from "./pages/console/console.ts";
import { APP_PAGES } from "./pages/open_app.ts";
import { PREVIEW_PAGES } from "./pages/open_preview.ts";
import { ONE_TIME_PAGES } from "./pages/one_time.ts";
import { OIDC_PAGES } from "./pages/sign_in/oidc.ts";
import { SIGN_IN_PAGES } from "./pages/sign_in/sign_in.ts";
import type { PlainRoute } from "./plain_route.ts";
import { WEBHOOKS } from "./webhooks.ts";
import { ASSIST } from "./streams/assist.ts";
import { FLOW_PROCESS_CHANGES } from "./streams/flow_process_changes.ts";
import { LOG_LINES } from "./streams/log_lines.ts";
import { RECORD_CHANGES } from "./streams/record_changes.ts";

export const PLAIN_ROUTES: readonly PlainRoute[] = [
  FLOW_PROCESS_CHANGES,
  LOG_LINES,
  ASSIST,
  ...RECORD_CHANGES,
  ...DB_FILES,
  ...ACCOUNT_ARCHIVE,
  ...CONSOLE_PAGES,
  ...DEPARTMENT_FOOTERS,
  ...SIGN_IN_PAGES,
  ...ONE_TIME_PAGES,
  ...APPROVAL_PAGES,
  ...OIDC_PAGES,
  ...APP_PAGES,
  EMBEDDED_PAGE,
  ...PREVIEW_PAGES,
  EMBED_SCRIPT,
  ...ASSETS,
  PLATFORM_TYPES,
  PASSKEYS,
  FLOW_SCHEMA,
  WEBHOOKS,
  ...MCP,
  ...HEALTH,
];
