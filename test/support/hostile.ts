/** Texts with which a service could try to drive a terminal, to deceive who reads it, or to flood it. */

/** What must never happen, by the text that would have it happen in a terminal that is given it as it is. */
export const DRIVING: Readonly<Record<string, string>> = {
  'a title': '\x1b]0;owned\x07',
  'a title closed by ST': '\x1b]2;owned\x1b\\',
  'a title in 8 bits': '\x9d0;owned\x9c',
  'a link': '\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\',
  'the clipboard': '\x1b]52;c;ZXZpbA==\x07',
  'a notification': '\x1b]9;owned\x07\x1b]777;notify;a;b\x07',
  'the alternate screen': '\x1b[?1049h',
  'the alternate screen in 8 bits': '\x9b?1049h',
  'a cleared screen': '\x1b[2J\x1b[3J\x1b[H',
  'a reset': '\x1bc',
  'a moved cursor': '\x1b[5A\x1b[40Gfake\x1b[s\x1b[10;10H',
  'a scrolled region': '\x1b[1;3r\x1bM\x1bD\x1bE',
  'a hidden cursor': '\x1b[?25l',
  'hidden letters': '\x1b[8mhidden',
  'another character set': '\x1b(0\x0e',
  'keys reported': '\x1b[?1000h\x1b[?2004h\x1b[>1u',
  'answers of the terminal': '\x1b[c\x1b[6n\x1b[21t\x1bP$qm\x1b\\\x05',
  'a device control string': '\x1bPq#0;2;0;0;0#0~~\x1b\\',
  'an application program command': '\x1b_Gf=24;AAAA\x1b\\\x1b^private\x1b\\\x1bXstring\x1b\\',
  'strings in 8 bits': '\x90q~\x9c\x9fx\x9c\x9ey\x9c\x98z\x9c',
  'a bell': '\x07\x07',
  backspaces: 'safe\b\b\b\bevil',
  'a carriage return': 'safe\revil',
  'another line': 'a\nError: fake\r\nb\x0b\x0cc',
  'separators of lines': 'a\u2028b\u2029c\x85d',
  'reversed letters': 'a\u202etxt.exe\u202c\u2066b\u2069\u200f\u061c',
  'half characters': '\ud800x\udc00',
  'a NUL and a DEL': 'a\x00b\x7fc',
  'a sequence cut off': 'a\x1b[',
  'a string cut off': 'a\x1b]0;',
};

/** Texts that are harmless but for how much of them there is. */
export const FLOODING: Readonly<Record<string, string>> = {
  'a megabyte of words': 'word '.repeat(200_000),
  'a megabyte of one word': 'x'.repeat(1_000_000),
  'ten thousand lines': 'line\n'.repeat(10_000),
  'marks piled up': `Z${'\u0301\u0308\u0335'.repeat(3_000)}algo`,
  'letters without a width': `a${'\u200b\u200d\u2060\ufeff'.repeat(5_000)}b`,
};

/** Every text of a body with something hostile after it, but for those at the keys that must stay. */
export function poisoned(body: unknown, text: string, keep: readonly string[] = []): unknown {
  if (typeof body === 'string') return body + text;
  if (Array.isArray(body)) return body.map((each) => poisoned(each, text, keep));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      keep.includes(key) ? value : poisoned(value, text, keep),
    ]),
  );
}
