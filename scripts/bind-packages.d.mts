/** Declares the types of bind-packages.mjs. */
export function bundlePackage(root: string, name: string): Promise<string>;
