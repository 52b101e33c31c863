/**
 * The documentation. This file only declares it: the build puts the pages in its place, rendered from `docs/*.md` by
 * server/compiler/console/docs/docs_plugin.ts.
 */
import type { Component } from "svelte";

export interface PageText {
  default: Component;
  /** Of the second and third level. */
  headings: readonly { level: number; text: string; anchor: string }[];
}

export interface DocsPage {
  /** In the address: `/docs/<id>`. */
  id: string;
  group: string;
  title: string;
  /** Without a full stop. */
  summary: string;
  load(): Promise<PageText>;
}

/** What the search finds: the text below one heading. */
export interface Section {
  page: string;
  heading: string;
  /** Empty for what stands before the first heading. */
  anchor: string;
  text: string;
}

/** In reading order. */
export const PAGES: readonly DocsPage[] = [];

export const loadSections = (): Promise<readonly Section[]> => Promise.resolve([]);
