/** Returns a text without the slashes at its end. Each character is read once, however many slashes a stranger sends. */
export const trimSlashes = (text: string): string => text.replace(/(?<!\/)\/+$/, '');
