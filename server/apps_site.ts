/**
 * The addresses of apps. Without `APPS_ORIGIN` they have the site's own. With `https://apps.example` all apps have that
 * one, and with `https://*.apps.example` each app has an origin of its own, named by its id.
 */
import { parse } from "hono/utils/cookie";
import { hostOf } from "./input/host.ts";

export interface AppsSite {
  apps_origin: string | undefined;
}

/** The origin that serves an app; undefined for the site's own. */
export const originOfApp = ({ apps_origin }: AppsSite, app_id: string): string | undefined =>
  apps_origin?.replace("*", app_id);

/** Whether no other app shares an app's origin. Its page then needs no sandbox. */
export const hasOwnOrigins = ({ apps_origin }: AppsSite): boolean => apps_origin?.includes("//*.") ?? false;

/** A host that serves apps, and nothing else of the site. */
export interface AppsHost {
  /** The only app that it serves; undefined where it serves every app. */
  app_id: string | undefined;
}

/** The apps' host that a request was sent to; undefined for the site's own. */
export function appsHostOf({ apps_origin }: AppsSite, url: string): AppsHost | undefined {
  if (apps_origin === undefined) return undefined;
  const host = hostOf(url).toLowerCase();
  const served = apps_origin.slice(apps_origin.indexOf("//") + 2);
  if (!served.startsWith("*.")) return host === served ? { app_id: undefined } : undefined;
  return host.endsWith(served.slice(1)) ? { app_id: host.slice(0, -(served.length - 1)) } : undefined;
}

/** Whether a host that serves apps also serves this path: apps, their files, and what their pages call. */
export const isForApps = (path: string): boolean =>
  /^\/(a\/|enter$|vendor\/|logos\/|platform\/db\/|platform\/apps\/[^/]+\/action\/)/.test(path);

/** Longer than it opens the app: it also says who used the app in this browser before. */
const KEPT_S = 400 * 24 * 60 * 60;

/** Redirects take no longer. */
const QUESTION_S = 60;

const isSecure = ({ apps_origin }: AppsSite) => apps_origin?.startsWith("https:") ?? false;
const nameOf = (site: AppsSite, app_id: string, kind = "app") => `${isSecure(site) ? "__Host-" : ""}${kind}_${app_id}`;

function valueOf({ headers }: Request, name: string): string | undefined {
  const cookies = headers.get("cookie");
  return cookies === null ? undefined : parse(cookies, name)[name];
}

/**
 * The cookie of a host that serves apps, one for each app. It proves the viewer of that app's page there (viewer.ts), and
 * no other request knows it.
 */
export const entryOf = (request: Request, site: AppsSite, app_id: string): string | undefined =>
  valueOf(request, nameOf(site, app_id));

/** `Set-Cookie`, or, without a value, for the removal of the cookie. */
export const entryCookie = (site: AppsSite, app_id: string, value?: string): string =>
  cookie(site, nameOf(site, app_id), value ?? "", value === undefined ? 0 : KEPT_S);

/** The cookie of a host that asks the site who is signed in. */
export const questionOf = (request: Request, site: AppsSite, app_id: string): string | undefined =>
  valueOf(request, nameOf(site, app_id, "question"));

export const questionCookie = (site: AppsSite, app_id: string, question: string): string =>
  cookie(site, nameOf(site, app_id, "question"), question, QUESTION_S);

const cookie = (site: AppsSite, name: string, value: string, seconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(site) ? "; Secure" : ""}`;
