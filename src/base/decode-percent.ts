/** Decodes `%20` and its kind. Undefined: a percent sign begins no valid code. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
