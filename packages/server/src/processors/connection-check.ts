/** One thing that was asked of the upstream to see whether a connection works. */
export interface ConnectionFinding {
  readonly check: string;
  readonly ok: boolean;
  /** In words for the operator; never with a credential, nor with what the upstream wrote. */
  readonly detail: string;
}
