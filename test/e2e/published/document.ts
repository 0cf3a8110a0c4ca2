/** Reads a copy of the published OpenAPI document, where a developer has one: its licence keeps it out of this repository. */
import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../../../src/base/object.ts';
import type { AnswerSchema } from '../../support/answers.ts';

interface Content {
  readonly content: Readonly<Record<string, { readonly schema?: AnswerSchema }>>;
}
export interface PublishedDocument {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          { readonly requestBody?: Content; readonly responses: Readonly<Record<string, Partial<Content>>> }
        >
      >
    >
  >;
}

/** Returns the document as JSON Schema without references. Its strings contain raw control characters. */
export function readPublishedDocument(file: string): PublishedDocument {
  const document: JsonObject = JSON.parse(readFileSync(file, 'utf8').replaceAll(/\s+/g, ' '));
  const resolve = (reference: string): unknown =>
    reference
      .split('/')
      .slice(1)
      .reduce<unknown>((here, step) => (isObject(here) ? here[step] : undefined), document);
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (!isObject(value)) return value;
    if (typeof value.$ref === 'string') return plain(resolve(value.$ref));
    const { nullable, example: _, discriminator: __, ...rest } = value;
    const copy: JsonObject = Object.fromEntries(
      Object.entries(rest).map(([key, field]) => [key, key === 'enum' ? field : plain(field)]),
    );
    // OpenAPI 3.0 has no type null.
    if (nullable !== true) return copy;
    return {
      ...copy,
      ...(typeof copy.type === 'string' ? { type: [copy.type, 'null'] } : {}),
      ...(Array.isArray(copy.enum) ? { enum: [...copy.enum, null] } : {}),
    };
  };
  return { paths: plain(document.paths) } as unknown as PublishedDocument;
}
