/** Prepares the request body of a status page (endpoint 4). */
import { isObject } from '../../base/object.ts';
import { updateStatusPage } from '../../contract/index.ts';
import { withoutResponseFields } from '../edit/to-request.ts';

/** Converts the colours of both themes to upper case. Leaves other values for validation. */
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

/** Returns a body without response-only fields, with upper-case colours. Accepts the output of `get`. */
export function toStatusPageBody(
  fields: Readonly<Record<string, unknown>>,
  warn: (sentence: string) => void,
): Record<string, unknown> {
  const body = withoutResponseFields(updateStatusPage.body ?? {}, fields, warn);
  return 'themeColors' in body ? { ...body, themeColors: upperCaseColours(body.themeColors) } : body;
}
