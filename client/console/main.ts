/** The console: a single-page app over the public API. server/compiler/console/build.ts bundles it. */
import { mount } from "svelte";
import App from "./App.svelte";
import { guardFocus } from "./shell/focus_guard.ts";

guardFocus();
mount(App, { target: document.body });
document.querySelector("#wait")?.remove();
