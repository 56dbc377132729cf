/** What a thrown value says. Where a host has several addresses, and none answers, the error for all of them says nothing itself. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return [...new Set(error.errors.map(messageOf))].join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
