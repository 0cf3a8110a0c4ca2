/** What a link, a form or a cookie opens. */
import { expect, it } from 'vitest';
import { createCapability, isCapability } from '../../../src/service/engine/sessions/capability.ts';

const made = createCapability('secret', 'check-session', 'id');

it('opens what it was made for, and nothing of another purpose, id or service', () => {
  expect(isCapability('secret', 'check-session', 'id', made)).toBe(true);
  expect(isCapability('secret', 'check-result', 'id', made)).toBe(false);
  expect(isCapability('secret', 'check-session', 'other', made)).toBe(false);
  expect(isCapability('other', 'check-session', 'id', made)).toBe(false);
  expect(isCapability('secret', 'check-session', 'id', '')).toBe(false);
});
