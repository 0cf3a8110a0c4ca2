export const price = (text: string): number => Number(text);
