/** The icon of a step type. A type may be newer than this console. */
import { type IconName, ICONS } from "../../../parts/icons.ts";

const isIcon = (name: string): name is IconName => Object.hasOwn(ICONS, name);

export const iconOf = (name: string | undefined): IconName => name !== undefined && isIcon(name) ? name : "zap";
