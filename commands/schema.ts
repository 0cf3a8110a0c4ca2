/** `sonde schema`: prints the JSON Schema of monitoring files. */
import { defineCommand } from '../src/cli/framework/index.ts';

export const command = defineCommand({
  name: 'schema',
  summary: 'Print the JSON Schema of monitoring files',
  description:
    'Editors use the schema to complete and validate the files that sonde plan and sonde apply read. ' +
    'In a YAML file, name it in the first line: # yaml-language-server: $schema=.schema.json. ' +
    'A service has it as well, without a key: GET /monitoring.schema.json.',
  examples: [
    { line: 'schema > monitoring/.schema.json', does: 'Write the schema beside the files' },
    { line: 'schema | jq .properties.checks', does: 'Show the part about checks' },
  ],
  async run({ terminal }) {
    const { SCHEMA_TEXT } = await import('../src/cli/manifest/schema/lazy/schema-text.ts');
    await terminal.out(SCHEMA_TEXT);
  },
});
