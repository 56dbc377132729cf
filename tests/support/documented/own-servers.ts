/** Origins of the servers that this process has started for a test. */
export const ownServers = new Set<string>();
