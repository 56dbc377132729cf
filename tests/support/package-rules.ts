/** Packages of ours, and npm packages, that each package may import; null: whatever its package.json names. */
export const packageRules: Readonly<
  Record<string, { ours: readonly string[]; npm: readonly string[] | null }>
> = {
  contract: { ours: [], npm: ['typebox'] },
  sandbox: { ours: [], npm: [] },
  server: { ours: ['contract', 'sandbox'], npm: null },
  checkout: { ours: ['contract'], npm: null },
  // Rendered when it is built, from what the contract and the simulators say.
  docs: { ours: ['contract', 'sandbox'], npm: null },
  dashboard: { ours: ['contract'], npm: null },
  sdk: { ours: ['contract'], npm: null },
};
