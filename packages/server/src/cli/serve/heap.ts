import { setFlagsFromString } from 'node:v8';

/** How V8 keeps the heap of a server. Flags that it does not know it names on standard error, and does nothing else. */
export function configureHeap(): void {
  // Old objects are collected once they take twice of what was alive after the last time. By default a busy server's heap
  // grows to three or four times of that.
  setFlagsFromString('--heap-growing-percent=100');
  // V8 takes objects of a place in the code that once outlived collections for long-lived ever after. Those of a request are
  // not: allocated as old they keep all that they refer to until everything is collected (docs/performance.md).
  setFlagsFromString('--no-allocation-site-pretenuring');
}
