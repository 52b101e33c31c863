/** What an app knows of its page: `user` is null for a viewer who is not signed in. */
export const context = globalThis.PlatformAppContext ?? { user: null };
export const user = context.user;
