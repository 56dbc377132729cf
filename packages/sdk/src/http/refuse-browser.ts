/**
 * Throws if the code runs on a buyer's device, because a secret key or a signing secret must never get there.
 * @throws Error in browsers, their workers and mobile apps
 */
export function refuseBrowser(): void {
  const scope = globalThis as { window?: { document?: unknown }; process?: { versions?: { node?: string } } };
  if (scope.process?.versions?.node !== undefined && scope.window?.document === undefined) return;
  throw new Error(
    '@till/node runs on your server only: in a browser or an app everybody could read your secret key. ' +
      'Call your own server from there, or send the buyer to checkout_url.',
  );
}
