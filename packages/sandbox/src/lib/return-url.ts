/** Adds query parameters to an address and keeps its existing ones. */
export function withQuery(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.append(name, value);
  return url.href;
}

/** Whether a browser can be sent to an address. */
export function isBrowserAddress(text: string): boolean {
  // Does not use `URL.canParse`: after JIT compilation, Node 20's rejects addresses with letters such as ü.
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}
