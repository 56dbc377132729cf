/** A finished piece of the output, or a value that is still to be written. */
type Task = { readonly text: string } | { readonly value: unknown };

/**
 * Writes a parsed JSON value so that two values with the same content give the same text: object keys sorted by UTF-16
 * code units at every depth, no white space, scalars as `JSON.stringify` writes them. Used for fingerprints (decisions,
 * "Idempotency"). Values that JSON cannot represent (undefined, functions) are written as null.
 *
 * It uses an explicit stack instead of recursion, because a body of 256 KiB can nest deeper than the call stack allows.
 */
export function canonicalJson(value: unknown): string {
  const parts: string[] = [];
  const stack: Task[] = [{ value }];
  for (let task = stack.pop(); task !== undefined; task = stack.pop()) {
    if ('text' in task) parts.push(task.text);
    else if (Array.isArray(task.value)) pushArray(stack, task.value);
    else if (typeof task.value === 'object' && task.value !== null) pushObject(stack, task.value);
    else parts.push(JSON.stringify(task.value) ?? 'null');
  }
  return parts.join('');
}

/** The stack is popped from its end, so the last piece is pushed first. */
function pushArray(stack: Task[], items: readonly unknown[]): void {
  stack.push({ text: ']' });
  for (let at = items.length - 1; at >= 0; at -= 1) {
    stack.push({ value: items[at] });
    if (at > 0) stack.push({ text: ',' });
  }
  stack.push({ text: '[' });
}

function pushObject(stack: Task[], object: object): void {
  // `entries` reads only own properties, so a key named `__proto__` is treated like any other.
  const entries = Object.entries(object).sort(([a], [b]) => (a < b ? 1 : -1));
  stack.push({ text: '}' });
  entries.forEach(([key, value], at) => {
    const isFirstInOutput = at === entries.length - 1;
    stack.push({ value }, { text: `${isFirstInOutput ? '' : ','}${JSON.stringify(key)}:` });
  });
  stack.push({ text: '{' });
}
