/** The body of a status page as a deployment wants it (endpoint 4). */
import { isObject } from '../../base/object.ts';
import { updateStatusPage } from '../../contract/index.ts';
import { withoutResponseFields } from '../edit/to-request.ts';

/** Colours in upper case, in both palettes; anything that is no colour stays for the contract to judge. */
function upperCaseColours(themeColors: unknown): unknown {
  if (!isObject(themeColors)) return themeColors;
  const palette = (colours: unknown): unknown =>
    isObject(colours)
      ? Object.fromEntries(
          Object.entries(colours).map(([name, colour]) => [
            name,
            typeof colour === 'string' && colour.startsWith('#') ? colour.toUpperCase() : colour,
          ]),
        )
      : colours;
  return Object.fromEntries(Object.entries(themeColors).map(([theme, colours]) => [theme, palette(colours)]));
}

/** What was written, or printed by `get`, without response-only fields and with its colours in upper case. */
export function toStatusPageBody(
  given: Readonly<Record<string, unknown>>,
  warn: (sentence: string) => void,
): Record<string, unknown> {
  const body = withoutResponseFields(updateStatusPage.body ?? {}, given, warn);
  return 'themeColors' in body ? { ...body, themeColors: upperCaseColours(body.themeColors) } : body;
}
