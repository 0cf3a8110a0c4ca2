/** Defines what each type of alert channel provides, and what their renderers and validators share. */
import type { JsonObject } from '../../../base/object.ts';
import type { AlertFacts } from '../facts/alert-facts.ts';
import type { Message } from '../facts/message.ts';

export interface ConfigProblem {
  /** Relative to `config`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** How a vendor answered a message, from the body of its response. */
export interface VendorAnswer {
  /** Reason of a refusal, in the words of the vendor. */
  readonly reason?: string | undefined;
  /** Delay that the vendor requests, in ms. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the vendor refused the message although its status says success. */
  readonly isRefused?: boolean;
  /** Whether a refusal with a status of success is temporary. */
  readonly isTemporary?: boolean;
  /** ID of the message, to which later messages of the alert reply. */
  readonly receipt?: string | undefined;
}

export interface ChannelType {
  readonly render: (config: JsonObject, facts: AlertFacts) => Message;
  /** Returns the settings of each recipient, by a name. Default: the channel has one recipient. */
  readonly split?: (config: JsonObject) => readonly (readonly [name: string, config: JsonObject])[];
  /** Returns what makes the channel undeliverable. Required settings are present. */
  readonly validate: (config: JsonObject) => readonly ConfigProblem[];
  /** Reads the body of a response: parsed JSON, or text. */
  readonly readAnswer?: (body: unknown) => VendorAnswer;
}

export const asString = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Validates an optional setting by a pattern. */
export function validateSetting(
  config: JsonObject,
  field: string,
  isValid: RegExp | ((text: string) => boolean),
  message: string,
): readonly ConfigProblem[] {
  const value = config[field];
  if (value === undefined || value === null) return [];
  const text = asString(value);
  return (isValid instanceof RegExp ? isValid.test(text) : isValid(text)) ? [] : [{ path: [field], message }];
}

/** Keys travel in headers, bodies and paths. */
const KEY = /^[\x21-\x7e]{1,500}$/;
export const validateKey = (config: JsonObject, field: string): readonly ConfigProblem[] =>
  validateSetting(config, field, KEY, 'must be one word of ASCII characters');

/** Truncates at a whole character. `maxLength`: in UTF-16 units, in which vendors count. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Returns the text of an object's field; undefined if it is not a text. */
export function textIn(body: unknown, field: string): string | undefined {
  const value = (body as JsonObject | null | undefined)?.[field];
  return typeof value === 'string' ? value : undefined;
}
