/** Contains the JSON Schema of monitoring files. Lazy-loaded by the commands that print or write it. */
import schema from '../../../../../docs/monitoring.schema.json';

export const SCHEMA_TEXT = `${JSON.stringify(schema, null, 2)}\n`;
