/**
 * Signals that ask a process to end in good order. SIGHUP is among them: a terminal that is closed sends it, and without a
 * listener it would end the process at once. Node.js does not keep it ignored under `nohup` either.
 */
export const endSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
