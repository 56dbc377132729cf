/**
 * Signals that ask a process to end gracefully. SIGHUP is sent when a terminal is closed, and without a listener it would end
 * the process at once. `nohup` does not prevent that: Node.js resets ignored signals.
 */
export const endSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
