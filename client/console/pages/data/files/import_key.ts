/** Names the import into a table among the long works of the console. */
export const importKey = (code: string, table: string): string => `import ${code}/${table}`;
