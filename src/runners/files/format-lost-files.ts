/** What is said of files of a run that are not kept. */
import { ARTIFACT_BYTES } from '../../contract/artifact-bytes.ts';

const MEGABYTE = 1024 * 1024;
const groupDigits = (bytes: number): string => String(bytes).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** A size for people, and to the byte: one more than the limit looks like the limit. */
const formatSize = (bytes: number): string =>
  `${(bytes / MEGABYTE).toFixed(1)} MB (${groupDigits(bytes)} bytes)`;

export const formatTooLarge = (name: string, bytes: number, limit: number = ARTIFACT_BYTES): string =>
  `${name} is ${formatSize(bytes)}: the limit is ${formatSize(limit)}. Make it smaller (a screenshot of a part of the page, a trace without screenshots), or split the check`;

export const formatTotalExceeded = (name: string, limit: number): string =>
  `${name} is not stored: the limit for all files of a run is ${limit / MEGABYTE} MB`;

/** Several such sentences as one text. */
export const formatLostFiles = (...lost: readonly (string | undefined)[]): string | undefined => {
  const messages = lost.filter((one) => one !== undefined && one !== '');
  return messages.length === 0 ? undefined : messages.join('; ');
};
