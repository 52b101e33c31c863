/** The console: a single-page app over the public API. server/compiler/console/build.ts bundles it. */
import { mount } from "svelte";
import App from "./App.svelte";
import "./styles/base.css";

mount(App, { target: document.body });
