/** The address with more query parameters, those that it has already kept. */
export function withQuery(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.append(name, value);
  return url.href;
}

/** Whether a browser can be sent to that address. */
export function isBrowserAddress(text: string): boolean {
  // Not `URL.canParse`: once compiled, Node 20's refuses addresses with letters such as ü.
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}
