/** Formats the reasons why files of a run are not stored. */
import { ARTIFACT_BYTES } from '../../contract/artifact-bytes.ts';

const MEGABYTE = 1024 * 1024;
const groupDigits = (bytes: number): string => String(bytes).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** Formats a size in MB and bytes, because one byte above the limit looks like the limit in MB. */
const formatSize = (bytes: number): string =>
  `${(bytes / MEGABYTE).toFixed(1)} MB (${groupDigits(bytes)} bytes)`;

export const formatTooLarge = (name: string, bytes: number, limit: number = ARTIFACT_BYTES): string =>
  `${name} is ${formatSize(bytes)}: the limit is ${formatSize(limit)}. Make it smaller (a screenshot of a part of the page, a trace without screenshots), or split the check`;

export const formatTotalExceeded = (name: string, limit: number): string =>
  `${name} is not stored: the limit for all files of a run is ${limit / MEGABYTE} MB`;

/** Joins several reasons into one text. */
export const formatLostFiles = (...lost: readonly (string | undefined)[]): string | undefined => {
  const messages = lost.filter((one) => one !== undefined && one !== '');
  return messages.length === 0 ? undefined : messages.join('; ');
};
