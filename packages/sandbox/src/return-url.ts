/** The address with more query parameters, those that it has already kept. */
export function withQuery(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.append(name, value);
  return url.href;
}

/** Whether a browser can be sent to that address. */
export function isBrowserAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
