// deno-lint-ignore no-import-prefix
export { parseXml, XmlElement } from "npm:@rgrove/parse-xml@5.0.0";
