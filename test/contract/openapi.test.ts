/** The OpenAPI document: valid by a public validator, complete, and as generated. */
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { table } from '../../src/contract/endpoints/index.ts';
import { openApiDocument } from '../../src/contract/openapi.ts';

const written = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('docs/openapi.json', () => {
  test('is what the contract generates today', () => {
    expect(written).toEqual(JSON.parse(JSON.stringify(openApiDocument(Object.values(table), version))));
  });

  test('is accepted by a public OpenAPI validator', async () => {
    const result = await new Validator().validate(structuredClone(written));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  test('refers only to components that it has, and holds every endpoint once', () => {
    const text = JSON.stringify(written);
    const references = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(references.filter((name) => !(String(name) in written.components.schemas))).toEqual([]);
    const operations = Object.values<Record<string, { operationId: string }>>(written.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(operations.toSorted()).toEqual(Object.keys(table).toSorted());
  });
});
