/**
 * The workspace packages and npm packages that each package may import. Null allows whatever its package.json
 * lists.
 */
export const packageRules: Readonly<
  Record<string, { ours: readonly string[]; npm: readonly string[] | null }>
> = {
  contract: { ours: [], npm: ['typebox'] },
  sandbox: { ours: [], npm: [] },
  server: { ours: ['contract', 'sandbox'], npm: null },
  checkout: { ours: ['contract'], npm: null },
  // Rendered at build time from the contract and the simulators.
  docs: { ours: ['contract', 'sandbox'], npm: null },
  dashboard: { ours: ['contract'], npm: null },
  sdk: { ours: ['contract'], npm: null },
};
