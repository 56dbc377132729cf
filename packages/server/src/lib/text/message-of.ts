/** The message of a thrown value. If no address of a host answers, the AggregateError has no message of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return [...new Set(error.errors.map(messageOf))].join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
