/** Keys of steps as people read them: `connector_code` is `Connector`. */
const WORDS: Record<string, string> = {
  connector_code: "Connector",
  db_code: "Database",
  flow_code: "Flow",
  table_name: "Table",
  record_id: "Record",
  as: "Name of the item",
};

export const labelOf = (key: string): string =>
  WORDS[key] ?? key.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
