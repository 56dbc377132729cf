import { setFlagsFromString } from 'node:v8';

/** Sets V8's flags for the heap of a server. V8 only prints a warning on standard error for flags that it does not know. */
export function configureHeap(): void {
  // The old generation is collected once it is twice the size of its live objects after the last collection. By default the
  // heap of a busy server grows to three or four times that size.
  setFlagsFromString('--heap-growing-percent=100');
  // If objects of one allocation site once outlived collections, V8 allocates all later ones in the old generation (pretenuring).
  // Objects of a request do not live long: in the old generation they retain all that they refer to until a full collection
  // (docs/performance.md).
  setFlagsFromString('--no-allocation-site-pretenuring');
}
